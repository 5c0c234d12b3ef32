import { startTestApi } from '../api/test-api.js';

/**
 * One conversation in every dialect, held over HTTP: what `docs/dialects.md` is made of. A dialect joins with a row.
 */

interface Request {
  verb: 'GET' | 'POST';
  path: string;
  body?: object;
}

interface Row {
  title: string;
  about: string;
  /** Asks an agent that has a question. */
  ask: Request;
  /** Answers it, in a stream. */
  reply: (asked: Asked) => Request;
  /** Reads the task. */
  read: (asked: Asked) => Request;
}

/** Where the answer to the first request has what the others need. */
interface Asked {
  id: string;
  contextId: string;
}

const rpc = (method: string, params: object, beside: object = {}, path = '/'): Request => ({
  verb: 'POST',
  path,
  body: { ...beside, jsonrpc: '2.0', id: 1, method, params },
});
const v1 = (messageId: string, text: string, fields: object = {}) => ({
  message: { messageId, role: 'ROLE_USER', parts: [{ text }], ...fields },
});
const v03 = (messageId: string, text: string, fields: object = {}) => ({
  message: { kind: 'message', messageId, role: 'user', parts: [{ kind: 'text', text }], ...fields },
});
const v03Proto = (messageId: string, text: string, fields: object = {}) => ({
  message: { messageId, role: 'ROLE_USER', content: [{ text }], ...fields },
});
const draft = (text: string) => ({
  id: 'my-task',
  sessionId: 'my-session',
  message: { role: 'user', parts: [{ type: 'text', text }] },
});
const GATEWAY = { agent_code: 'main' };

const ROWS: readonly Row[] = [
  {
    title: 'A2A 1.0, JSON-RPC',
    about: 'The method names the dialect.',
    ask: rpc('SendMessage', v1('m1', 'ask')),
    reply: ({ id }) => rpc('SendStreamingMessage', v1('m2', 'Riga', { taskId: id })),
    read: ({ id }) => rpc('GetTask', { id, historyLength: 1 }),
  },
  {
    title: 'A2A 1.0, HTTP+JSON',
    about: 'Below `/a2a/rest`.',
    ask: { verb: 'POST', path: '/a2a/rest/message:send', body: v1('m1', 'ask') },
    reply: ({ id }) => ({
      verb: 'POST',
      path: '/a2a/rest/message:stream',
      body: v1('m2', 'Riga', { taskId: id }),
    }),
    read: ({ id }) => ({ verb: 'GET', path: `/a2a/rest/tasks/${id}?historyLength=1` }),
  },
  {
    title: '/v2/agentic',
    about: 'HTTP+JSON of 1.0, with `REJECTED` and `AUTH_REQUIRED` shown as `FAILED`.',
    ask: { verb: 'POST', path: '/v2/agentic/message:send', body: v1('m1', 'ask') },
    reply: ({ id }) => ({
      verb: 'POST',
      path: '/v2/agentic/message:stream',
      body: v1('m2', 'Riga', { taskId: id }),
    }),
    read: ({ id }) => ({ verb: 'GET', path: `/v2/agentic/tasks/${id}?historyLength=1` }),
  },
  {
    title: 'A2A 0.3, JSON-RPC',
    about: 'The method names the dialect.',
    ask: rpc('message/send', v03('m1', 'ask')),
    reply: ({ id }) => rpc('message/stream', v03('m2', 'Riga', { taskId: id })),
    read: ({ id }) => rpc('tasks/get', { id, historyLength: 1 }),
  },
  {
    title: 'A2A 0.3, HTTP+JSON',
    about: 'Below `/a2a/rest/v1`, in the JSON of its a2a.proto.',
    ask: {
      verb: 'POST',
      path: '/a2a/rest/v1/message:send',
      body: { ...v03Proto('m1', 'ask'), configuration: { blocking: true } },
    },
    reply: ({ id }) => ({
      verb: 'POST',
      path: '/a2a/rest/v1/message:stream',
      body: v03Proto('m2', 'Riga', { taskId: id }),
    }),
    read: ({ id }) => ({ verb: 'GET', path: `/a2a/rest/v1/tasks/${id}?historyLength=1` }),
  },
  {
    title: 'tasks/send',
    about: 'The drafts of 2025. The client chooses the ids; a message has none.',
    ask: rpc('tasks/send', draft('ask')),
    reply: () => rpc('tasks/sendSubscribe', draft('Riga')),
    read: () => rpc('tasks/get', { id: 'my-task', historyLength: 1 }),
  },
  {
    title: 'Gateway',
    about: '0.3 with `agent_code` beside the method. The answer names its context only.',
    ask: rpc('message/send', v03('m1', 'ask'), GATEWAY),
    reply: ({ contextId }) => rpc('message/stream', v03('m2', 'Riga', { contextId }), GATEWAY),
    read: ({ id }) => rpc('tasks/get', { id, historyLength: 1 }, GATEWAY),
  },
];

/** The page. Ids and times, which are others each time, are replaced. */
export async function dialectsPage(): Promise<string> {
  const sections: string[] = [];
  for (const row of ROWS) {
    const api = await startTestApi();
    try {
      const send = async ({ verb, path, body }: Request) => {
        const response = await fetch(api.url + path, {
          method: verb,
          ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
        });
        return response.text();
      };
      const asked = await send(row.ask);
      const [id = ''] = /task\.[\w-]+/.exec(asked) ?? [];
      const [contextId = ''] = /ctx\.[\w-]+/.exec(asked) ?? [];
      const reply = row.reply({ id, contextId });
      const read = row.read({ id, contextId });
      const steps = [
        shownRequest(row.ask),
        shownJson(asked),
        shownRequest(reply),
        fenced('text', (await send(reply)).trim()),
        shownRequest(read),
        shownJson(await send(read)),
      ];
      sections.push(`## ${row.title}\n\n${row.about}\n\n${stable(steps.join('\n\n'))}\n`);
    } finally {
      await api.close();
    }
  }
  return `${HEAD}\n${sections.join('\n')}`;
}

const HEAD = `# One conversation in every dialect

A client says \`ask\`, the agent asks back, the client answers \`Riga\` and follows the stream, then it reads the task. The
tasks are the same in each dialect, and one may be begun in one and driven in another; the words differ. What each
promises is in [api.md](api.md).

This page is made by holding the conversations (\`npm run docs:dialects\`). Ids and times are replaced.
`;

function shownRequest({ verb, path, body }: Request): string {
  return fenced('http', `${verb} ${path}${body === undefined ? '' : `\n\n${pretty(body)}`}`);
}

const shownJson = (text: string) => fenced('json', pretty(JSON.parse(text)));
const pretty = (json: unknown) => JSON.stringify(json, null, 2);
const fenced = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``;

/** The same id is the same name wherever it stands. */
function stable(text: string): string {
  const names = new Map<string, string>();
  const counts = new Map<string, number>();
  return text
    .replace(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, '2026-01-01T00:00:00.000Z')
    .replace(/\b(task|msg|ctx|art)\.[0-9a-f]{8}-[0-9a-f-]{27}/g, (id, prefix: string) => {
      const known = names.get(id);
      if (known !== undefined) return known;
      const count = (counts.get(prefix) ?? 0) + 1;
      counts.set(prefix, count);
      names.set(id, `${prefix}.${count}`);
      return `${prefix}.${count}`;
    });
}

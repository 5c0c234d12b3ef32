import { createServer } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pino } from 'pino';
import type { Task } from '../../core/task.js';
import { IDEMPOTENT_SENDS, RESUMABLE_STREAMS } from '../../wire/extensions.js';
import { sendParams } from '../support/rpc-client.js';
import { call, read } from './bindings.js';
import { eventually, startTestApi, withMethods, type TestApi } from './test-api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ settings: { maxBodyBytes: 100_000, publicUrl: 'https://agents.example.com' } });
});
afterAll(() => api.close());

const rpcBody = (method: string, params: object, id: unknown = 1) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });

async function taskOf(text = 'hello', at: { url: string } = api): Promise<Task> {
  return (await call({ ...api, ...at }, 'JSON-RPC', 'SendMessage', sendParams(text))).result.task;
}

describe('addresses', () => {
  test.each([
    '/',
    '',
    '/a2a/jsonrpc',
    '/a2a/jsonrpc/',
    '/agents/main',
    '/agents/main/',
    '/agents/main/a2a/jsonrpc/',
  ])('C10 JSON-RPC is served at %j', async (path) => {
    const response = await api.post(path, rpcBody('ListTasks', {}));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: 1, result: { nextPageToken: '' } });
  });

  test('C02 tasks are addressed by any legal id, encoded or not', async () => {
    const { id } = await taskOf();
    for (const path of [
      `/tasks/${id}`,
      `/tasks/${id}/`,
      `/tasks/${encodeURIComponent(id).replace('.', '%2E')}`,
    ]) {
      const response = await api.rest('GET', path);
      expect(response.status).toBe(200);
      expect(((await response.json()) as Task).id).toBe(id);
    }
    // Slashes, colons and words that look like verbs are part of an id when they are encoded.
    for (const odd of ['a/b', 'a:b', 'a b', 'tasks', 'ü', 'x:subscribe', '%', 'a?b', 'a#b']) {
      const { error } = await read(await api.rest('GET', `/tasks/${encodeURIComponent(odd)}`), 'HTTP+JSON');
      expect(error).toMatchObject({ reason: 'TASK_NOT_FOUND', metadata: { taskId: odd } });
    }
  });

  test.each(['%s:cancel', '%s%3Acancel'])('C02 cancel at /tasks/%s', async (pattern) => {
    const { id } = await taskOf('ask');
    const response = await api.rest('POST', `/tasks/${pattern.replace('%s', id)}`);
    expect(((await response.json()) as Task).status.state).toBe('TASK_STATE_CANCELED');
  });

  test.each(['GET', 'POST'])('C02 SubscribeToTask by %s', async (verb) => {
    const { id } = await taskOf('ask');
    const response = await api.rest(verb, `/tasks/${id}:subscribe`);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    await response.body?.cancel();
  });

  test.each<[string, string]>([
    ['POST', '/a2a/rest/tasks/x:explode'],
    ['POST', '/a2a/rest/tasks/x%3Aexplode'],
    ['POST', '/a2a/rest/tasks/:cancel'],
    ['POST', '/a2a/rest/message:explode'],
    ['GET', '/a2a/rest'],
    ['GET', '/a2a/rest/nowhere'],
    ['GET', '/a2a/rest/v1x/tasks/x/y'],
    ['GET', '/a2a/rest/a/b/tasks'],
    ['GET', '/a2a/rest//tasks'],
    ['GET', '/nowhere'],
    ['GET', '/agents/nobody/.well-known/agent-card.json'],
    ['POST', '/agents/nobody/a2a/rest/message:send'],
    ['GET', '/.well-known/nothing.json'],
    ['GET', '/index.html'],
    ['GET', '/v2/agentic/contexts/c/tasks'],
  ])('C02 X24 %s %s is a JSON 404', async (verb, path) => {
    const response = await fetch(api.url + path, { method: verb });
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toMatchObject({ error: { code: 404, status: 'NOT_FOUND' } });
  });

  test.each<[string, string, string]>([
    ['DELETE', '/a2a/rest/tasks/x', 'GET'],
    ['POST', '/a2a/rest/tasks', 'GET'],
    ['GET', '/a2a/rest/message:send', 'POST'],
    ['PUT', '/a2a/rest/message:stream', 'POST'],
    ['HEAD', '/a2a/rest/tasks/x', 'GET'],
    ['GET', '/', 'POST'],
    ['GET', '/a2a/jsonrpc', 'POST'],
    ['PATCH', '/a2a/rest/acme/tasks/x', 'GET'],
  ])('X24 %s %s is a JSON 405 that says what is allowed', async (verb, path, allow) => {
    const response = await fetch(api.url + path, { method: verb });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe(allow);
    expect(response.headers.get('content-type')).toBe('application/json');
    await response.text();
  });

  test.each([
    '/a2a/rest/tasks/%zz',
    '/agents/%zz/a2a/rest/tasks',
    '/v2/agentic/contexts/%E0%A4%A/tasks/t/artifacts/a',
  ])('X24 the broken encoding of %s is invalid', async (path) => {
    const response = await fetch(api.url + path);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { status: 'INVALID_ARGUMENT' } });
  });

  test('F06 a task read through another agent’s address is not found', async () => {
    const { id } = await taskOf();
    expect((await api.rest('GET', `/tasks/${id}`)).status).toBe(200);
    expect((await fetch(`${api.url}/agents/main/a2a/rest/tasks/${id}`)).status).toBe(200);
    expect((await fetch(`${api.url}/agents/other/a2a/rest/tasks/${id}`)).status).toBe(404);
  });

  test('F06 a tenant may stand before the operation; it has to agree with the field', async () => {
    const sent = await read(await api.rest('POST', '/acme/message:send', sendParams('hello')), 'HTTP+JSON');
    const { id } = sent.result.task;
    expect((await api.rest('GET', `/acme/tasks/${id}`)).status).toBe(200);
    expect((await api.rest('GET', `/tasks/${id}?tenant=acme`)).status).toBe(200);
    expect((await api.rest('GET', `/acme/tasks/${id}?tenant=acme`)).status).toBe(200);
    expect((await api.rest('GET', `/tasks/${id}`)).status).toBe(404);
    const differs = await read(await api.rest('GET', `/acme/tasks/${id}?tenant=other`), 'HTTP+JSON');
    expect(differs.error).toMatchObject({ code: 400, fields: ['tenant'] });
    const body = { ...sendParams('hello'), tenant: 'other' };
    expect(
      (await read(await api.rest('POST', '/acme/message:send', body), 'HTTP+JSON')).error?.fields,
    ).toEqual(['tenant']);
    const other = await read(await api.rest('POST', `/tasks/${id}:cancel`, { id: 'another' }), 'HTTP+JSON');
    expect(other.error?.fields).toEqual(['id']);
  });

  test('A18 an artifact can be read alone, in its own context only', async () => {
    const { id, contextId, artifacts } = await taskOf();
    const path = (context: string, artifact: string) =>
      `${api.url}/v2/agentic/contexts/${context}/tasks/${id}/artifacts/${artifact}`;
    const response = await fetch(path(contextId, 'answer'));
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(artifacts?.[0]);
    expect((await fetch(path('elsewhere', 'answer'))).status).toBe(404);
    expect((await fetch(path(contextId, 'nothing'))).status).toBe(404);
    expect((await fetch(`${path(contextId, 'answer')}?tenant=acme`)).status).toBe(404);
  });
});

describe('content', () => {
  const task = () => rpcBody('ListTasks', {});

  test.each(['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'application/jsonx', ''])(
    'C10 JSON-RPC with content type %j is refused before anything else',
    async (type) => {
      const response = await api.post('/', '{broken', { 'content-type': type });
      expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32005 } });
    },
  );

  test.each<[string, string]>([
    ['application/json; charset=iso-8859-1', 'identity'],
    ['application/json; charset=utf-16', 'identity'],
    ['application/json', 'gzip'],
  ])('C10 %s in %s is refused', async (type, encoding) => {
    const headers = { 'content-type': type, 'content-encoding': encoding };
    expect(await (await api.post('/', task(), headers)).json()).toMatchObject({ error: { code: -32005 } });
    const response = await fetch(`${api.url}/a2a/rest/message:send`, { method: 'POST', headers, body: '{}' });
    expect(response.status).toBe(415);
    await response.text();
  });

  test.each([
    'application/json',
    'APPLICATION/JSON; Charset="UTF-8"',
    'application/a2a+json',
    'application/json;charset=utf8',
  ])('C10 %s is taken', async (type) => {
    const sent = JSON.stringify(sendParams('hello'));
    const headers = { 'content-type': type };
    expect(await (await api.post('/', task(), headers)).json()).toHaveProperty('result');
    const response = await fetch(`${api.url}/a2a/rest/message:send`, { method: 'POST', headers, body: sent });
    expect(response.status).toBe(200);
    await response.text();
  });

  test.each<[string | undefined, string]>([
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['application/json', 'application/json'],
    ['application/a2a+json', 'application/a2a+json'],
    ['application/a2a+json, application/json', 'application/a2a+json'],
    ['application/json, application/a2a+json', 'application/json'],
    ['application/a2a+json;q=0.5, application/json', 'application/json'],
    ['application/a2a+json;q=0, */*', 'application/json'],
    ['text/html', 'application/json'],
  ])('C10 Accept %j is answered with %s', async (accept, expected) => {
    const response = await api.rest('GET', '/tasks', undefined, accept === undefined ? {} : { accept });
    expect(response.headers.get('content-type')).toBe(expected);
    await response.text();
  });

  test('C13 errors are application/json whatever is accepted, or some clients lose their identity', async () => {
    const response = await api.rest('GET', '/tasks/none', undefined, { accept: 'application/a2a+json' });
    expect(response.headers.get('content-type')).toBe('application/json');
    await response.text();
  });

  test.each([
    ['with its length', (body: string) => body],
    [
      'in chunks',
      (body: string) =>
        new ReadableStream({
          start(controller) {
            for (let at = 0; at < body.length; at += 20_000)
              controller.enqueue(Buffer.from(body.slice(at, at + 20_000)));
            controller.close();
          },
        }),
    ],
  ])('C12 X33 a body over the limit, sent %s, is refused and stores nothing', async (_, make) => {
    const big = sendParams('x'.repeat(200_000));
    const before = api.worker.runCount;
    const post = (path: string, body: string) =>
      fetch(api.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: make(body),
        duplex: 'half',
      });
    const rest = await post('/a2a/rest/message:send', JSON.stringify(big));
    expect(rest.status).toBe(413);
    expect(await rest.json()).toMatchObject({ error: { code: 413, status: 'INVALID_ARGUMENT' } });
    const rpc = await post('/', rpcBody('SendMessage', big));
    expect(await rpc.json()).toMatchObject({ id: null, error: { code: -32602 } });
    expect(api.worker.runCount).toBe(before);
  });

  test('X23 of a key given twice the last one counts', async () => {
    const response = await api.post(
      '/',
      '{"jsonrpc":"2.0","id":1,"id":2,"method":"Nope","method":"ListTasks"}',
    );
    expect(await response.json()).toMatchObject({ id: 2, result: { tasks: expect.anything() } });
  });
});

describe('versions and extensions', () => {
  test.each<[string, string | undefined, boolean]>([
    ['', undefined, true],
    ['', '', true],
    ['', '1.0', true],
    ['', ' 1.0 ', true],
    ['', '1.0.1', true],
    ['?A2A-Version=1.0', undefined, true],
    ['?a2a-version=0.3', '1.0', true],
    ['', '0.3', false],
    ['', '1.1', false],
    ['', '2.0', false],
    ['', '1', false],
    ['', 'x', false],
    ['?A2A-Version=0.3', undefined, false],
    ['?A2A-Version=1.0', '0.3', false],
  ])('C07 X19 with query %j and header %j: %s', async (query, header, accepted) => {
    const headers: Record<string, string> = header === undefined ? {} : { 'a2a-version': header };
    const rest = await read(await api.rest('GET', `/tasks${query}`, undefined, headers), 'HTTP+JSON');
    const rpc = await read(await api.post(`/${query}`, rpcBody('ListTasks', {}), headers), 'JSON-RPC');
    for (const [answer, code] of [
      [rest, 400],
      [rpc, -32009],
    ] as const) {
      if (accepted) expect(answer.error).toBeUndefined();
      else
        expect(answer.error).toMatchObject({
          code,
          reason: 'VERSION_NOT_SUPPORTED',
          metadata: { supportedVersions: '1.0,0.3,0.1' },
        });
    }
  });

  test('C07 C14 extensions that are known are echoed as active', async () => {
    const headers = { 'a2a-extensions': `${RESUMABLE_STREAMS.uri}, urn:other,${IDEMPOTENT_SENDS.uri}` };
    const response = await api.post('/', rpcBody('ListTasks', {}), headers);
    expect(response.headers.get('a2a-extensions')).toBe(`${RESUMABLE_STREAMS.uri}, ${IDEMPOTENT_SENDS.uri}`);
    const plain = await api.post('/', rpcBody('ListTasks', {}));
    expect(plain.headers.get('a2a-extensions')).toBeNull();
  });
});

describe('operation', () => {
  test('F08 health, and readiness by the journal; Temporal down is reported and takes nobody out', async () => {
    let temporal = true;
    let journal = true;
    const own = await startTestApi({
      temporalReady: () => temporal,
      wrapJournal: (real) =>
        withMethods(real, {
          ping: () => (journal ? real.ping() : Promise.reject(new Error('gone'))),
        }),
    });
    const ready = async () => {
      const response = await fetch(`${own.url}/readyz`);
      return [response.status, await response.json()];
    };
    try {
      expect((await fetch(`${own.url}/healthz`)).status).toBe(200);
      expect(await ready()).toEqual([200, { status: 'ready', journal: 'ok', temporal: 'ok' }]);
      temporal = false;
      expect(await ready()).toEqual([200, { status: 'degraded', journal: 'ok', temporal: 'unreachable' }]);
      journal = false;
      expect(await ready()).toEqual([
        503,
        { status: 'unavailable', journal: 'unreachable', temporal: 'unreachable' },
      ]);
      journal = true;
      own.app.close();
      expect((await ready())[0]).toBe(503);
    } finally {
      await own.close();
    }
  });

  test('C09 an unexpected failure tells nothing but its id, which the log has it by', async () => {
    const lines: string[] = [];
    const own = await startTestApi({
      logger: pino({}, { write: (line: string) => void lines.push(line) }),
      wrapJournal: (real) =>
        withMethods(real, {
          read: () => Promise.reject(new Error('SQLITE_IOERR: select * from tasks at /var/lib/journal.db')),
        }),
    });
    try {
      for (const binding of ['JSON-RPC', 'HTTP+JSON'] as const) {
        const { error, status, headers } = await call(own, binding, 'GetTask', { id: 't' });
        expect(status).toBe(binding === 'JSON-RPC' ? 200 : 500);
        expect(error).toMatchObject({
          code: binding === 'JSON-RPC' ? -32603 : 500,
          message: 'Internal error',
          reason: 'INTERNAL_ERROR',
        });
        expect(JSON.stringify(error)).not.toMatch(/SQLITE|select|journal\.db|\.ts/);
        expect(error?.metadata.requestId).toBe(headers.get('x-request-id'));
        const logged = lines.map(
          (line) => JSON.parse(line) as { requestId: string; err?: { message: string } },
        );
        expect(
          logged.find(({ requestId, err }) => err && requestId === error?.metadata.requestId)?.err?.message,
        ).toContain('SQLITE_IOERR');
      }
    } finally {
      await own.close();
    }
  });

  test('F08 A19 requests are logged with ids and outcomes, without bodies, queries and headers', async () => {
    const lines: string[] = [];
    const own = await startTestApi({ logger: pino({}, { write: (line: string) => void lines.push(line) }) });
    const logged = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    try {
      const headers = {
        'x-request-id': 'my-id',
        authorization: 'Bearer s3cret',
        'idempotency-key': 's3cret',
      };
      const { result } = await call(own, 'JSON-RPC', 'SendMessage', sendParams('hello s3cret'), headers);
      await own.rest('GET', '/tasks/none?token=s3cret');
      const gone = new AbortController();
      const left = fetch(`${own.url}/a2a/rest/message:send`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(sendParams('gate')),
        signal: gone.signal,
      });
      await eventually(() => own.worker.runCount === 2);
      gone.abort();
      await expect(left).rejects.toThrow();
      await eventually(() => lines.length === 3);
      expect(logged()[0]).toMatchObject({
        requestId: 'my-id',
        operation: 'SendMessage',
        agent: 'main',
        taskId: result.task.id,
        method: 'POST',
        path: '/a2a/jsonrpc',
        status: 200,
        outcome: 'ok',
      });
      expect(logged()[1]).toMatchObject({
        outcome: 'error',
        error: 'TASK_NOT_FOUND',
        taskId: 'none',
        status: 404,
      });
      expect(logged()[2]).toMatchObject({ outcome: 'client_gone', operation: 'SendMessage' });
      expect(logged()[2]).not.toHaveProperty('error');
      expect(lines.join('')).not.toContain('s3cret');
    } finally {
      await own.close();
    }
  });

  test('C09 responses do not say what serves them, and are not cached', async () => {
    const response = await api.rest('GET', '/tasks');
    expect(response.headers.get('x-powered-by')).toBeNull();
    expect(response.headers.get('cache-control')).toBe('no-store');
    await response.text();
  });

  test('C09 the table of 1.0.1 is a setting', async () => {
    const own = await startTestApi({ settings: { errorTable: '1.0.1' } });
    try {
      const { result } = await call(own, 'JSON-RPC', 'SendMessage', sendParams('hello'));
      expect((await call(own, 'HTTP+JSON', 'CancelTask', { id: result.task.id })).status).toBe(400);
    } finally {
      await own.close();
    }
  });

  test('X22 a request that breaks off in its body stores nothing and disturbs nobody', async () => {
    const before = api.worker.runCount;
    const { port } = new URL(api.url);
    const socket = connect(Number(port), '127.0.0.1');
    const body = rpcBody('SendMessage', sendParams('hello'));
    socket.write(
      `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    socket.write(body.slice(0, -10));
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.destroy();
    expect((await api.rest('GET', '/tasks')).status).toBe(200);
    expect(api.worker.runCount).toBe(before);
  });
});

test('C06 the app is a plain request listener: it can be mounted in any server', async () => {
  const server = createServer(api.app.app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

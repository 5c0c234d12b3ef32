import { connect } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IDEMPOTENT_SENDS, USAGE } from '../../wire/extensions.js';
import { sendParams } from '../support/rpc-client.js';
import { agent } from './agents.js';
import { read } from './bindings.js';
import { startTestApi, type TestApi } from './test-api.js';

const URI = 'https://example.com/extensions/geo/v1';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({
    agents: [agent('main', { extensions: [{ uri: URI, required: true }] }), agent('other')],
  });
});
afterAll(() => api.close());

const message = sendParams('hello');
/** Every operation of 1.0 over JSON-RPC and HTTP+JSON. */
const OPERATIONS: [name: string, verb: string, path: string, body?: object][] = [
  ...(
    [
      ['SendMessage', message],
      ['SendStreamingMessage', message],
      ['GetTask', { id: 'x' }],
      ['ListTasks', {}],
      ['CancelTask', { id: 'x' }],
      ['SubscribeToTask', { id: 'x' }],
      ['GetExtendedAgentCard', {}],
    ] as const
  ).map(([method, params]): [string, string, string, object] => [
    method,
    'POST',
    '/',
    { jsonrpc: '2.0', id: 1, method, params },
  ]),
  ['POST message:send', 'POST', '/a2a/rest/message:send', message],
  ['POST message:stream', 'POST', '/a2a/rest/message:stream', message],
  ['GET a task', 'GET', '/a2a/rest/tasks/x'],
  ['GET tasks', 'GET', '/a2a/rest/tasks'],
  ['POST :cancel', 'POST', '/a2a/rest/tasks/x:cancel'],
  ['GET :subscribe', 'GET', '/a2a/rest/tasks/x:subscribe'],
  ['GET the extended card', 'GET', '/a2a/rest/extendedAgentCard'],
  ['GET an artifact', 'GET', '/v2/agentic/contexts/c/tasks/t/artifacts/a'],
];

async function ask(verb: string, path: string, body: object | undefined, headers: Record<string, string>) {
  const response = await fetch(api.url + path, {
    method: verb,
    headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (response.headers.get('content-type') === 'text/event-stream') {
    await response.body?.cancel();
    return { headers: response.headers, error: undefined };
  }
  return read(response, path === '/' ? 'JSON-RPC' : 'HTTP+JSON');
}

describe('an extension that the agent requires', () => {
  test.each(OPERATIONS)(
    'C07 X44 %s without it is refused, with it is not',
    async (_name, verb, path, body) => {
      for (const header of [undefined, '', 'urn:other', `${URI}2`, `x ${URI}`]) {
        const { error } = await ask(
          verb,
          path,
          body,
          header === undefined ? {} : { 'a2a-extensions': header },
        );
        expect(error).toMatchObject({
          code: path === '/' ? -32008 : 400,
          reason: 'EXTENSION_SUPPORT_REQUIRED',
          metadata: { extensions: URI },
        });
      }
      expect(await tasks()).toBe(0);
      for (const header of [URI, `urn:other, ${URI}`, ` ${URI} ,urn:other`]) {
        const answer = await ask(verb, path, body, { 'a2a-extensions': header });
        expect(answer.error?.reason).not.toBe('EXTENSION_SUPPORT_REQUIRED');
        expect(answer.headers.get('a2a-extensions')).toBe(URI);
      }
      await clear();
    },
  );

  /** Of this agent, which has none until something is accepted. */
  let before = 0;
  const count = async () => {
    const { result } = await read(
      await api.rest('GET', '/tasks', undefined, { 'a2a-extensions': URI }),
      'HTTP+JSON',
    );
    return result.totalSize;
  };
  const tasks = async () => (await count()) - before;
  const clear = async () => {
    before = await count();
  };

  test('C07 X44 in the second of two headers', async () => {
    const { port } = new URL(api.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(
      'GET /a2a/rest/tasks HTTP/1.1\r\nHost: x\r\nConnection: close\r\n' +
        `A2A-Extensions: ${USAGE.uri}\r\na2a-extensions: ${URI}\r\n\r\n`,
    );
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    await once(socket, 'close');
    expect(answer).toMatch(/^HTTP\/1.1 200/);
    expect(answer).toContain(`A2A-Extensions: ${USAGE.uri}, ${URI}`);
  });

  test('C07 X44 the X- spelling is for older dialects, and is answered in kind', async () => {
    const send = (method: string, name: string) => {
      const body = { jsonrpc: '2.0', id: 1, method, params: { id: 'x' } };
      return ask('POST', '/', body, { [name]: URI });
    };
    const older = await send('tasks/get', 'x-a2a-extensions');
    expect(older.error?.reason).toBe('TASK_NOT_FOUND');
    expect(older.headers.get('x-a2a-extensions')).toBe(URI);
    expect(older.headers.get('a2a-extensions')).toBeNull();
    expect((await send('tasks/get', 'a2a-extensions')).error?.reason).toBe('TASK_NOT_FOUND');
    expect((await send('GetTask', 'x-a2a-extensions')).error?.reason).toBe('EXTENSION_SUPPORT_REQUIRED');
  });

  test('C07 an agent without one asks for none', async () => {
    const other = await fetch(`${api.url}/agents/other/a2a/rest/tasks`);
    expect(other.status).toBe(200);
  });
});

test('C14 the server’s own are echoed as active where they are named, and nowhere else', async () => {
  const named = { 'a2a-extensions': `${IDEMPOTENT_SENDS.uri}, urn:other,${USAGE.uri}` };
  const at = `${api.url}/agents/other/a2a/rest/tasks`;
  expect((await fetch(at, { headers: named })).headers.get('a2a-extensions')).toBe(
    `${IDEMPOTENT_SENDS.uri}, ${USAGE.uri}`,
  );
  expect((await fetch(at)).headers.get('a2a-extensions')).toBeNull();
});

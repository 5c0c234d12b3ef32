import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiKeys, bearer } from './callers.js';
import { frames, type RpcFailure } from '../support/rpc-client.js';
import { eventually, startTestApi, type TestApi } from './test-api.js';

/** As much of the gateway's JSON as these tests look at. */
interface GatewayTask {
  kind: string;
  id: string;
  contextId: string;
  status: { state: string; message?: { parts: object[] } };
  history?: object[];
  artifacts?: { parts: object[] }[];
}
interface Seen {
  id: number;
  kind: string;
  state: string | undefined;
  final: boolean | undefined;
}

/** An error's details, among which this one is. */
const detail = (fields: object) => expect.arrayContaining([expect.objectContaining(fields)]) as object[];

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

interface Options {
  agent?: unknown;
  path?: string;
  headers?: Record<string, string>;
}

function post(method: string, params: object, { agent = 'main', path = '/', headers = {} }: Options = {}) {
  return fetch(api.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ agent_code: agent, jsonrpc: '2.0', id: 'r1', method, params }),
  });
}
async function answer(method: string, params: object, options?: Options) {
  const response = await post(method, params, options);
  return (await response.json()) as { id: string; result: GatewayTask; error?: RpcFailure };
}
const message = (text: string, fields: object = {}) => ({
  message: {
    kind: 'message',
    role: 'user',
    messageId: randomUUID(),
    parts: [{ kind: 'text', text }],
    ...fields,
  },
});
const send = async (text: string, fields: object = {}, options?: Options) =>
  (await answer('message/send', message(text, fields), options)).result;
const get = async (id: string, options?: Options) => (await answer('tasks/get', { id }, options)).result;
const code = async (...call: Parameters<typeof answer>) => (await answer(...call)).error?.code;
async function stream(method: string, params: object, options?: Options): Promise<Seen[]> {
  const seen: Seen[] = [];
  for await (const { id, event } of frames(await post(method, params, options))) {
    const { kind, status, final } = event as unknown as GatewayTask & { final?: boolean };
    seen.push({ id: Number(id), kind, state: status?.state, final });
  }
  return seen;
}

describe('the selector', () => {
  test('D04 selects the agent beside the method, and the answer is in the gateway’s words', async () => {
    const task = await send('hello', {}, { agent: 'other' });
    expect(task).toMatchObject({ kind: 'task', status: { state: 'completed' } });
    expect((await api.journal.readAny(task.id))?.agent).toBe('other');
    expect(await get(task.id, { agent: 'other' })).toEqual(task);
  });

  test('D04 F06 a task with another agent’s selector is not found', async () => {
    const { id } = await send('ask');
    for (const method of ['tasks/get', 'tasks/cancel']) {
      expect(await code(method, { id }, { agent: 'other' })).toBe(-32001);
    }
    expect(await code('tasks/resubscribe', { taskId: id }, { agent: 'other' })).toBe(-32001);
    const reply = message('Riga', { taskId: id });
    expect(await code('message/send', reply, { agent: 'other' })).toBe(-32001);
    expect((await get(id)).status.state).toBe('input-required');
  });

  test('D04 an unknown agent has its own error, whatever is asked', async () => {
    for (const [method, params] of [
      ['message/send', message('hello')],
      ['tasks/get', { id: 'x' }],
      ['message/stream', message('hello')],
    ] as const) {
      const { error } = await answer(method, params, { agent: 'nobody' });
      expect(error).toMatchObject({ code: -32601, message: 'There is no such agent' });
    }
  });

  test('D04 X23 a selector that is none, or contradicts the address, is refused', async () => {
    for (const agent of ['', 7, {}, null]) {
      const refused = await answer('tasks/get', { id: 'x' }, { agent });
      expect(refused).toMatchObject({ id: 'r1', error: { code: -32600 } });
    }
    const { id } = await send('ask', {}, { path: '/agents/main/a2a/jsonrpc' });
    expect((await get(id, { path: '/agents/main' })).id).toBe(id);
    expect(await code('tasks/get', { id }, { path: '/agents/other' })).toBe(-32602);
  });

  test('D04 methods that the gateway does not have are unknown beside a selector', async () => {
    for (const method of ['SendMessage', 'tasks/send', 'Nope']) {
      expect(await code(method, message('hello'))).toBe(-32601);
    }
  });

  test('D04 A16 cancel by params.id', async () => {
    const { id } = await send('ask');
    expect((await answer('tasks/cancel', { id })).result.status.state).toBe('canceled');
    expect((await answer('tasks/cancel', { id })).result.status.state).toBe('canceled');
    expect(await code('tasks/cancel', { id: (await send('hello')).id })).toBe(-32002);
  });
});

describe('tasks/resubscribe', () => {
  test('D04 B02 SSE ids are sequences; afterSeq gives what came later, also on ended tasks', async () => {
    const all = await stream('message/stream', message('hello'));
    expect(all.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
    const { id } = await send('hello');
    const whole = await stream('tasks/resubscribe', { taskId: id });
    expect(whole).toEqual(all);
    for (const afterSeq of [0, 1, 2, 3, '2']) {
      expect(await stream('tasks/resubscribe', { taskId: id, afterSeq })).toEqual(
        whole.slice(Number(afterSeq)),
      );
    }
    expect(await stream('tasks/resubscribe', { taskId: id, afterSeq: 4 })).toEqual([]);
  });

  test('D04 a question that was answered ends no replay', async () => {
    const { id } = await send('ask');
    await send('Riga', { taskId: id });
    const replay = await stream('tasks/resubscribe', { taskId: id });
    expect(replay.map(({ kind, state, final }) => [kind, state, final])).toEqual([
      ['task', 'submitted', undefined],
      ['status-update', 'working', false],
      ['status-update', 'input-required', false],
      ['status-update', 'working', false],
      ['artifact-update', undefined, undefined],
      ['status-update', 'completed', true],
    ]);
  });

  test('D04 B08 the events of a working task go on where the replay ends', async () => {
    const { result } = await answer('message/send', {
      ...message('gate'),
      configuration: { blocking: false },
    });
    await eventually(async () => (await get(result.id)).status.state === 'working');
    const response = await post('tasks/resubscribe', { taskId: result.id, afterSeq: 1 });
    api.worker.run(result.id).gate.open();
    const seen: (string | undefined)[] = [];
    for await (const { id } of frames(response)) seen.push(id);
    expect(seen).toEqual(['2', '3']);
  });

  test('D04 X11 what is no cursor of this task is refused before a stream', async () => {
    const { id } = await send('hello');
    for (const afterSeq of [-1, 1.5, 'x', 99, {}]) {
      const { error } = await answer('tasks/resubscribe', { taskId: id, afterSeq });
      expect(error).toMatchObject({
        code: -32602,
        data: detail({ fieldViolations: [expect.objectContaining({ field: 'afterSeq' })] }),
      });
    }
    expect(await code('tasks/resubscribe', { id })).toBe(-32602);
    expect(await code('tasks/resubscribe', { taskId: 'none', afterSeq: 1 })).toBe(-32001);
  });

  test('D04 the header counts where afterSeq is not given', async () => {
    const { id } = await send('hello');
    const headers = { 'last-event-id': '3' };
    expect(await stream('tasks/resubscribe', { taskId: id }, { headers })).toHaveLength(1);
    expect(await stream('tasks/resubscribe', { taskId: id, afterSeq: 2 }, { headers })).toHaveLength(2);
  });
});

describe('a message with nothing but a context', () => {
  test('D04 A14 answers the question that is open there', async () => {
    const { id, contextId } = await send('ask2');
    const again = await send('Riga', { contextId });
    expect(again).toMatchObject({ id, status: { state: 'input-required' } });
    const seen = await stream('message/stream', message('Monday', { contextId }));
    expect(seen.at(-1)).toMatchObject({ state: 'completed', final: true });
    expect((await get(id)).artifacts?.[0]?.parts).toEqual([{ kind: 'text', text: 'Riga Monday' }]);
  });

  test('D04 begins a task where no question is open', async () => {
    const first = await send('hello', { contextId: 'ctx.free' });
    const second = await send('hello', { contextId: 'ctx.free' });
    expect(second.id).not.toBe(first.id);
    expect(second.contextId).toBe('ctx.free');
    const named = await send('ask', { contextId: 'ctx.named' });
    const other = await send('hello', { contextId: 'ctx.named' }, { agent: 'other' });
    expect(other.id).not.toBe(named.id);
  });

  test('D04 X37 of answers that come at once one is the answer', async () => {
    const { id, contextId } = await send('ask');
    const answers = await Promise.all(Array.from({ length: 8 }, () => send('Riga', { contextId })));
    expect(answers.filter((task) => task.id === id)).toHaveLength(1);
    expect((await get(id)).history).toHaveLength(3);
    expect(new Set(answers.map((task) => task.id)).size).toBe(8);
  });

  test('D04 A20 an answer that is sent again is that answer', async () => {
    const { id, contextId } = await send('ask');
    const reply = message('Riga', { contextId });
    const first = (await answer('message/send', reply)).result;
    const again = (await answer('message/send', reply)).result;
    expect(again).toEqual(first);
    expect(again.id).toBe(id);
  });

  test('D04 is the gateway’s alone: in 0.3 and 1.0 it begins a task', async () => {
    const { id, contextId } = await send('ask');
    const v03 = await api.rpc.ok<GatewayTask>('message/send', message('hello', { contextId }));
    const v1 = await api.rpc.send('hello', { contextId });
    expect(new Set([id, v03.id, v1.id]).size).toBe(3);
  });

  test('D04 F06 another caller’s question is none', async () => {
    const open = api;
    api = await startTestApi({ authenticator: apiKeys() });
    try {
      const contextId = 'ctx.shared-name';
      const asked = await send('ask', { contextId }, { headers: bearer('alice') });
      const bobs = await send('hello', { contextId }, { headers: bearer('bob') });
      expect(bobs.id).not.toBe(asked.id);
      expect(bobs.status.state).toBe('completed');
      expect(await get(asked.id, { headers: bearer('alice') })).toEqual(asked);
    } finally {
      await api.close();
      api = open;
    }
  });
});

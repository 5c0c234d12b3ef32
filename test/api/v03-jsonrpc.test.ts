import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Task } from '../../core/task.js';
import { sendParams, type Frame } from '../support/rpc-client.js';
import { eventually, startTestApi, type TestApi } from './test-api.js';

/** As much of 0.3's JSON as these tests look at. */
interface Task03 {
  kind: string;
  id: string;
  contextId: string;
  status: { state: string; message?: object; timestamp: string };
  history?: { kind: string; role: string; parts: object[] }[];
  artifacts?: { artifactId: string; parts: object[] }[];
}
interface Event03 extends Task03 {
  taskId: string;
  final?: boolean;
  artifact?: { artifactId: string; parts: object[] };
}

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

interface Saying {
  taskId?: string;
  configuration?: object | undefined;
}

function say(text: string, { configuration, ...fields }: Saying = {}) {
  const parts = [{ kind: 'text', text }];
  return {
    message: { kind: 'message', messageId: randomUUID(), role: 'user', parts, ...fields },
    ...(configuration && { configuration }),
  };
}

const send = (text: string, fields: Saying = {}) => api.rpc.ok<Task03>('message/send', say(text, fields));
const get = (id: string, fields: object = {}) => api.rpc.ok<Task03>('tasks/get', { id, ...fields });
const refusal = async (method: string, params: object, headers: Record<string, string> = {}) =>
  (await api.rpc.call(method, params, headers)).error?.code;
const events = (frames: Frame[]) => frames.map(({ event }) => event as unknown as Event03);
const stream = async (method: string, params: object, headers: Record<string, string> = {}) =>
  events(await api.rpc.all(method, params, headers));

describe('message/send', () => {
  test('D01 X32 answers with a task in 0.3 words', async () => {
    const task = await send('hello');
    expect(task).toMatchObject({
      kind: 'task',
      status: { state: 'completed' },
      history: [{ kind: 'message', role: 'user', parts: [{ kind: 'text', text: 'hello' }] }],
      artifacts: [{ parts: [{ kind: 'text', text: 'hello hello' }] }],
    });
    expect(await get(task.id)).toEqual(task);
  });

  test.each([
    ['no configuration', undefined, 'completed'],
    ['a configuration without blocking', { acceptedOutputModes: ['text/plain'] }, 'completed'],
    ['blocking: true', { blocking: true }, 'completed'],
    ['blocking: false', { blocking: false }, 'submitted'],
  ])('D01 X09 %s: the task is %s', async (_, configuration, state) => {
    expect((await send('hello', { configuration })).status.state).toBe(state);
  });

  test('D01 a question is asked and answered', async () => {
    const asked = await send('ask');
    expect(asked.status).toMatchObject({
      state: 'input-required',
      message: { kind: 'message', role: 'agent', parts: [{ kind: 'text', text: 'Which city?' }] },
    });
    const done = await send('Riga', { taskId: asked.id });
    expect(done.status.state).toBe('completed');
    expect(done.artifacts?.[0]?.parts).toEqual([{ kind: 'text', text: 'in Riga' }]);
  });

  test('D01 A03 a direct answer is a message', async () => {
    const url = `${api.url}/agents/direct`;
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'message/send', params: say('say') }),
    });
    const { result } = (await answer.json()) as { result: object };
    expect(result).toMatchObject({ kind: 'message', role: 'agent', parts: [{ text: 'directly' }] });
  });

  test('D01 A12 historyLength limits the answer', async () => {
    const { id, history } = await send('hello', { configuration: { historyLength: 0 } });
    expect(history).toBeUndefined();
    expect((await get(id, { historyLength: 1 })).history).toHaveLength(1);
  });

  test('D01 X20 X01 the errors are those of 1.0', async () => {
    const { id } = await send('hello');
    expect(await refusal('tasks/get', { id: 'task.unknown' })).toBe(-32001);
    expect(await refusal('message/send', say('x', { taskId: randomUUID() }))).toBe(-32001);
    expect(await refusal('message/send', say('x', { taskId: id }))).toBe(-32004);
    expect(await refusal('tasks/resubscribe', { id })).toBe(-32004);
    expect(await refusal('message/send', { message: { parts: [] } })).toBe(-32602);
    expect(await refusal('tasks/get', {})).toBe(-32602);
    expect(await refusal('tasks/list', {})).toBe(-32601);
  });
});

describe('tasks/cancel', () => {
  test('D01 D02 X45 a second cancel of a canceled task gives it again', async () => {
    const { id } = await send('ask');
    const canceled = await api.rpc.ok<Task03>('tasks/cancel', { id });
    expect(canceled.status.state).toBe('canceled');
    expect(await api.rpc.ok<Task03>('tasks/cancel', { id })).toEqual(canceled);
    // In 1.0 it is refused (A16).
    expect(await refusal('CancelTask', { id })).toBe(-32002);
  });

  test('D02 X45 a task that ended in another way cannot be canceled', async () => {
    const { id } = await send('hello');
    expect(await refusal('tasks/cancel', { id })).toBe(-32002);
    expect(await refusal('tasks/cancel', { id: 'task.unknown' })).toBe(-32001);
  });
});

describe('message/stream', () => {
  test('D01 X32 every frame has its kind, and the last status is final', async () => {
    const found = await stream('message/stream', say('hello'));
    expect(found.map(({ kind, final, status }) => [kind, status?.state, final])).toEqual([
      ['task', 'submitted', undefined],
      ['status-update', 'working', false],
      ['artifact-update', undefined, undefined],
      ['status-update', 'completed', true],
    ]);
    expect(new Set(found.map(({ id, taskId }) => taskId ?? id)).size).toBe(1);
  });

  test('D01 B12 artifacts come whole, once, however they were written', async () => {
    const found = await stream('message/stream', say('tokens 5'));
    const updates = found.filter(({ kind }) => kind === 'artifact-update');
    expect(updates).toMatchObject([
      { append: false, lastChunk: true, artifact: { parts: [{ kind: 'text', text: 't0 t1 t2 t3 t4 ' }] } },
    ]);
    expect((await get(found[0]!.id)).artifacts).toEqual([updates[0]!.artifact]);
  });

  test('B12 a server may be set to send fragments', async () => {
    const chatty = await startTestApi({ settings: { legacyFragments: true } });
    try {
      const found = events(await chatty.rpc.all('message/stream', say('tokens 5')));
      const updates = found.filter(({ kind }) => kind === 'artifact-update');
      expect(updates.length).toBeGreaterThan(1);
    } finally {
      await chatty.close();
    }
  });

  test('D01 a question ends the stream, its answer opens the next', async () => {
    const asked = await stream('message/stream', say('ask'));
    expect(asked.at(-1)).toMatchObject({ final: true, status: { state: 'input-required' } });
    const answered = await stream('message/stream', say('Riga', { taskId: asked[0]!.id }));
    expect(answered[0]).toMatchObject({ kind: 'task', id: asked[0]!.id });
    expect(answered.at(-1)).toMatchObject({ final: true, status: { state: 'completed' } });
  });

  test('D01 B07 tasks/resubscribe continues, from now or from an event', async () => {
    const { id } = await send('gate', { configuration: { blocking: false } });
    await eventually(async () => (await get(id)).status.state === 'working');
    const live = stream('tasks/resubscribe', { id });
    await eventually(() => api.app.openStreams === 1);
    api.worker.run(id).gate.open();
    expect((await live).map(({ kind }) => kind)).toEqual(['task', 'status-update']);
    const replayed = await stream('tasks/resubscribe', { id }, { 'last-event-id': '1' });
    expect(replayed.map(({ status }) => status.state)).toEqual(['working', 'completed']);
  });
});

describe('versions', () => {
  test.each(['0.3', '0.3.0', ' 0.3 ', ''])(
    'C07 X19 the version %j agrees with a 0.3 method',
    async (version) => {
      expect(await refusal('tasks/get', { id: 'x' }, { 'a2a-version': version })).toBe(-32001);
    },
  );

  test.each([
    ['1.0', 'tasks/get'],
    ['0.3', 'GetTask'],
    ['0.30', 'tasks/get'],
  ])('C07 X19 the version %j contradicts %s', async (version, method) => {
    expect(await refusal(method, { id: 'x' }, { 'a2a-version': version })).toBe(-32009);
  });

  test('C07 with the strict setting an absent version is 0.3', async () => {
    const strict = await startTestApi({ settings: { strictVersion: true } });
    try {
      expect((await strict.rpc.call('tasks/get', { id: 'x' })).error?.code).toBe(-32001);
      expect((await strict.rpc.call('GetTask', { id: 'x' })).error?.code).toBe(-32009);
    } finally {
      await strict.close();
    }
  });
});

describe('one task in two dialects', () => {
  test('D06 X32 made over 0.3, driven and read over 1.0', async () => {
    const asked = await send('ask');
    const done = await api.rpc.send('Riga', { taskId: asked.id });
    expect(done).toMatchObject({ id: asked.id, status: { state: 'TASK_STATE_COMPLETED' } });
    expect(done.history?.[0]).toMatchObject({ role: 'ROLE_USER', parts: [{ text: 'ask' }] });
    expect((await get(asked.id)).history?.map(({ role }) => role)).toEqual(['user', 'agent', 'user']);
  });

  test('D06 X32 made over 1.0, driven and read over 0.3', async () => {
    const { task } = await api.rpc.ok<{ task: Task }>('SendMessage', sendParams('ask'));
    const answered = await stream('message/stream', say('Riga', { taskId: task.id }));
    expect(answered.at(-1)).toMatchObject({ kind: 'status-update', status: { state: 'completed' } });
    expect((await api.rpc.get(task.id)).status.state).toBe('TASK_STATE_COMPLETED');
  });

  test('D06 X32 two readers of one stream, each in its own words', async () => {
    const { id } = await send('gate', { configuration: { blocking: false } });
    await eventually(async () => (await get(id)).status.state === 'working');
    const both = [api.rpc.all('SubscribeToTask', { id }), api.rpc.all('tasks/resubscribe', { id })];
    await eventually(() => api.app.openStreams === 2);
    api.worker.run(id).gate.open();
    const [v1, v03] = await Promise.all(both);
    expect(v1?.at(-1)?.event).toHaveProperty('statusUpdate.status.state', 'TASK_STATE_COMPLETED');
    expect(v03?.at(-1)?.event).toMatchObject({ kind: 'status-update', status: { state: 'completed' } });
    expect(v1?.map((frame) => frame.id)).toEqual(v03?.map((frame) => frame.id));
  });
});

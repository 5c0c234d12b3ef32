import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RpcClient, type Frame } from '../support/rpc-client.js';
import { apiKeys, bearer } from './callers.js';
import { eventually, startTestApi, type TestApi } from './test-api.js';

/** As much of the drafts' JSON as these tests look at. */
interface DraftTask {
  id: string;
  sessionId: string;
  status: { state: string; message?: { role: string; parts: object[] }; timestamp: string };
  artifacts?: { index: number; lastChunk?: boolean; parts: object[] }[];
  history?: { role: string; parts: object[] }[];
}
interface DraftFrame {
  id: string;
  status?: DraftTask['status'];
  final?: boolean;
  artifact?: { index: number; lastChunk?: boolean; parts: object[] };
}

const SCOPE = { tenant: '', owner: 'anonymous', agent: 'main' };

/** An error's details, among which this one is. */
const detail = (fields: object) => expect.arrayContaining([expect.objectContaining(fields)]) as object[];

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const text = (said: string) => ({ role: 'user', parts: [{ type: 'text', text: said }] });
const params = (said: string, fields: object = {}) => ({ id: randomUUID(), message: text(said), ...fields });
const send = (said: string, fields: object = {}) => api.rpc.ok<DraftTask>('tasks/send', params(said, fields));
const get = (id: string, fields: object = {}) => api.rpc.ok<DraftTask>('tasks/get', { id, ...fields });
const refusal = async (method: string, given: object, client = api.rpc) => {
  const { error } = await client.call(method, given);
  return error?.code;
};
const framesOf = (found: Frame[]) => found.map(({ event }) => event as unknown as DraftFrame);
const stream = async (method: string, given: object, headers: Record<string, string> = {}) =>
  framesOf(await api.rpc.all(method, given, headers));
/** At the address that speaks nothing else. */
const only = () => new RpcClient(`${api.url}/a2a/draft`);

describe('tasks/send', () => {
  test('D03 answers with a task that has the id and the session of the client’s choice', async () => {
    const task = await send('hello', { id: 'my-task', sessionId: 'my-session' });
    expect(task).toEqual({
      id: 'my-task',
      sessionId: 'my-session',
      status: { state: 'completed', timestamp: expect.any(String) as string },
      artifacts: [{ parts: [{ type: 'text', text: 'hello hello' }], index: 0, lastChunk: true }],
    });
    expect(await get('my-task')).toEqual(task);
    expect(JSON.stringify(await get('my-task', { historyLength: 9 }))).not.toMatch(/task\.|messageId|kind/);
  });

  test('D03 a session that is not given is made, and groups tasks where it is', async () => {
    const { sessionId } = await send('hello');
    expect(sessionId).toMatch(/^ctx\./);
    expect((await send('hello', { sessionId })).sessionId).toBe(sessionId);
  });

  test('D03 sending again with the same id and session while input-required continues', async () => {
    const asked = await send('ask2', { id: 'trip', sessionId: 's' });
    expect(asked.status).toMatchObject({
      state: 'input-required',
      message: { role: 'agent', parts: [{ type: 'text', text: 'Which city?' }] },
    });
    const again = await send('Riga', { id: 'trip', sessionId: 's' });
    expect(again.status.message?.parts).toEqual([{ type: 'text', text: 'Which day?' }]);
    const done = await send('Monday', { id: 'trip' });
    expect(done).toMatchObject({ id: 'trip', sessionId: 's', status: { state: 'completed' } });
    expect(done.artifacts?.[0]?.parts).toEqual([{ type: 'text', text: 'Riga Monday' }]);
  });

  test('D03 X37 equal messages are never merged', async () => {
    const asked = await send('ask2', { id: 'twice' });
    expect(asked.status.state).toBe('input-required');
    await send('same', { id: 'twice' });
    const done = await send('same', { id: 'twice', historyLength: 9 });
    expect(done.artifacts?.[0]?.parts).toEqual([{ type: 'text', text: 'same same' }]);
    expect(done.history?.filter(({ role }) => role === 'user')).toHaveLength(3);
  });

  test('D03 X37 sends at once with one new id are one task', async () => {
    const before = api.worker.runCount;
    const id = 'at-once';
    const sending = Promise.all(Array.from({ length: 5 }, () => send('gate', { id })));
    await eventually(async () => {
      const taskId = await api.journal.resolveAlias(SCOPE, id);
      return taskId !== undefined && (await api.journal.readAny(taskId))?.task.history?.length === 5;
    });
    expect(api.worker.runCount).toBe(before + 1);
    api.worker.run((await api.journal.resolveAlias(SCOPE, id))!).gate.open();
    for (const task of await sending) expect(task).toMatchObject({ id, status: { state: 'completed' } });
  });

  test('D03 A12 X08 history comes when it is asked for', async () => {
    const { id, history } = await send('hello', { historyLength: 1 });
    expect(history).toEqual([
      {
        role: 'user',
        parts: [{ type: 'text', text: 'hello' }],
        metadata: { $timestamp: expect.any(String) as string },
      },
    ]);
    expect(await get(id)).not.toHaveProperty('history');
    expect(await get(id, { historyLength: 0 })).not.toHaveProperty('history');
    expect((await get(id, { historyLength: 5 })).history).toHaveLength(1);
    expect(await refusal('tasks/get', { id, historyLength: -1 })).toBe(-32602);
    // It says what the answer carries and nothing of what the agent considers.
    const { taskId } = api.worker.run((await api.journal.resolveAlias(SCOPE, id))!);
    expect(api.worker.run(taskId).start.options).toEqual({});
  });

  test('D03 a direct answer is a task here, whatever the agent prefers', async () => {
    for (const agent of ['direct', 'either']) {
      const client = new RpcClient(`${api.url}/agents/${agent}/`);
      const task = await client.ok<DraftTask>('tasks/send', params('say', { id: agent }));
      expect(task).toMatchObject({ id: agent, status: { state: 'completed' } });
      expect(task.artifacts?.[0]?.parts).toEqual([{ type: 'text', text: 'directly' }]);
    }
  });

  test.each([
    ['reject', 'failed', 'because'],
    ['fail', 'failed', 'because'],
    ['auth', 'input-required', 'Authorise at https://example.com'],
  ])('D03 %s reads %s and says why', async (said, state, why) => {
    const { status } = await send(said);
    expect(status).toMatchObject({ state, message: { parts: [{ type: 'text', text: why }] } });
  });

  test('D03 A08 A09 X21 an ended task and another session are refused', async () => {
    const { id } = await send('hello');
    const { error } = await api.rpc.call('tasks/send', params('more', { id }));
    expect(error).toMatchObject({ code: -32004, data: detail({ metadata: { taskId: id } }) });
    const asked = await send('ask', { sessionId: 'one' });
    const other = await api.rpc.call('tasks/send', params('x', { id: asked.id, sessionId: 'two' }));
    expect(other.error).toMatchObject({
      code: -32602,
      data: detail({ fieldViolations: [expect.objectContaining({ field: 'sessionId' })] }),
    });
    expect(await get(asked.id)).toEqual(asked);
  });

  test.each<[string, object, string]>([
    ['no id', { id: undefined }, 'id'],
    ['an empty id', { id: '' }, 'id'],
    ['a long id', { id: 'x'.repeat(257) }, 'id'],
    ['a control character in the id', { id: 'a\nb' }, 'id'],
    ['a long session', { sessionId: 'x'.repeat(257) }, 'sessionId'],
    ['no message', { message: undefined }, 'message'],
    ['an agent’s message', { message: { ...text('x'), role: 'agent' } }, 'message.role'],
    ['no parts', { message: { role: 'user', parts: [] } }, 'message.parts'],
    [
      'a part of 0.3',
      { message: { role: 'user', parts: [{ kind: 'text', text: 'x' }] } },
      'message.parts[0].type',
    ],
  ])('D03 X22 %s: refused by name', async (_, fields, field) => {
    const { error } = await api.rpc.call('tasks/send', params('hello', fields));
    expect(error).toMatchObject({
      code: -32602,
      data: detail({ fieldViolations: [expect.objectContaining({ field })] }),
    });
  });
});

describe('tasks/sendSubscribe', () => {
  test('D03 B12 frames are {id, status, final} and {id, artifact}, with no Task and whole artifacts', async () => {
    const id = 'streamed';
    const frames = await stream('tasks/sendSubscribe', params('tokens 3', { id }));
    expect(frames).toMatchObject([
      { id, status: { state: 'submitted' }, final: false },
      { id, status: { state: 'working' }, final: false },
      { id, artifact: { parts: [{ type: 'text', text: 't0 t1 t2 ' }], index: 0, lastChunk: true } },
      { id, status: { state: 'completed' }, final: true },
    ]);
    for (const frame of frames) expect(Object.keys(frame).length).toBe(frame.artifact ? 2 : 3);
  });

  test('D03 A14 a streamed reply ends at what follows it, never at the old question', async () => {
    const id = 'asked-in-stream';
    const asked = await stream('tasks/sendSubscribe', params('ask2', { id }));
    expect(asked.at(-1)).toMatchObject({ status: { state: 'input-required' }, final: true });
    const next = await stream('tasks/sendSubscribe', params('Riga', { id }));
    expect(next.map(({ status, final }) => [status?.state, final])).toEqual([
      ['working', false],
      ['input-required', true],
    ]);
    expect(next.at(-1)?.status?.message?.parts).toEqual([{ type: 'text', text: 'Which day?' }]);
  });

  test('D03 B07 a stream is resumed by its cursor, with the same artifact index', async () => {
    const { id } = await send('tokens 3');
    const all = await stream('tasks/resubscribe', { id }, { 'last-event-id': '1' });
    expect(all.map(({ status }) => status?.state)).toEqual(['working', undefined, 'completed']);
    const late = await stream('tasks/resubscribe', { id }, { 'last-event-id': '3' });
    expect(late).toEqual(all.slice(1));
    expect(await refusal('tasks/resubscribe', { id })).toBe(-32004);
  });

  test('D03 a pause that is over ends no replay', async () => {
    const { id } = await send('ask');
    await send('Riga', { id });
    const replay = await stream('tasks/resubscribe', { id }, { 'last-event-id': '1' });
    expect(replay.flatMap(({ status, final }) => (status ? [[status.state, final]] : []))).toEqual([
      ['working', false],
      ['input-required', false],
      ['working', false],
      ['completed', true],
    ]);
  });

  test('D03 B09 X43 what is wrong at the start is an ordinary error', async () => {
    expect(await refusal('tasks/sendSubscribe', { id: 'x' })).toBe(-32602);
    const { id } = await send('hello');
    expect(await refusal('tasks/sendSubscribe', params('more', { id }))).toBe(-32004);
  });
});

describe('tasks/get, tasks/cancel', () => {
  test('D03 D02 X45 cancel answers with the task, again and again; what has ended otherwise is refused', async () => {
    const { id } = await send('ask');
    const canceled = await api.rpc.ok<DraftTask>('tasks/cancel', { id });
    expect(canceled).toMatchObject({ id, status: { state: 'canceled' } });
    expect(canceled).not.toHaveProperty('history');
    expect(await api.rpc.ok('tasks/cancel', { id })).toEqual(canceled);
    expect(await refusal('tasks/cancel', { id: (await send('hello')).id })).toBe(-32002);
  });

  test('D03 on the common address an id that was not chosen through tasks/send is read in 0.3', async () => {
    const v1 = await api.rpc.send('ask');
    expect(await api.rpc.ok('tasks/get', { id: v1.id })).toMatchObject({
      kind: 'task',
      contextId: v1.contextId,
    });
    const drafted = await send('ask', { id: 'both-ways' });
    const real = (await api.journal.resolveAlias(SCOPE, drafted.id))!;
    expect(await api.rpc.ok('tasks/get', { id: 'both-ways' })).toMatchObject({
      sessionId: drafted.sessionId,
    });
    expect(await api.rpc.ok('tasks/get', { id: real })).toMatchObject({ kind: 'task', id: real });
    expect(await api.rpc.ok('tasks/cancel', { id: v1.id })).toMatchObject({ kind: 'task' });
    expect(await api.rpc.ok('tasks/cancel', { id: 'both-ways' })).not.toHaveProperty('kind');
  });

  test('D03 /a2a/draft always speaks the draft and nothing else', async () => {
    const v1 = await api.rpc.send('ask');
    const read = await only().ok<DraftTask>('tasks/get', { id: v1.id });
    expect(read).toEqual({
      id: v1.id,
      sessionId: v1.contextId,
      status: expect.objectContaining({ state: 'input-required' }) as object,
    });
    // A chosen id is the task's name here, by whichever id it was asked for.
    const { id } = await send('ask', { id: 'named' });
    const real = (await api.journal.resolveAlias(SCOPE, id))!;
    expect((await only().ok<DraftTask>('tasks/get', { id: real })).id).toBe('named');
    for (const method of ['message/send', 'SendMessage', 'tasks/pushNotificationConfig/get']) {
      expect(await refusal(method, {}, only())).toBe(-32601);
    }
    const ofAgent = new RpcClient(`${api.url}/agents/other/a2a/draft/`);
    expect(await refusal('tasks/get', { id }, ofAgent)).toBe(-32001);
    expect((await fetch(`${api.url}/a2a/draft`)).status).toBe(405);
  });

  test('D03 X20 an unknown id is not found, and named as it was asked for', async () => {
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/resubscribe']) {
      const { error } = await only().call(method, { id: 'nobody’s' });
      expect(error).toMatchObject({ code: -32001, data: detail({ metadata: { taskId: 'nobody’s' } }) });
    }
  });
});

test('D03 F06 X11 the same id of two callers is two tasks, and neither sees the other', async () => {
  const own = await startTestApi({ authenticator: apiKeys() });
  try {
    const alice = new RpcClient(`${own.url}/`, bearer('alice'));
    const bob = new RpcClient(`${own.url}/`, bearer('bob'));
    const fields = { id: '1', sessionId: 's' };
    await alice.ok('tasks/send', params('hello', fields));
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/resubscribe']) {
      expect(await refusal(method, { id: '1' }, bob)).toBe(-32001);
    }
    const asked = await bob.ok<DraftTask>('tasks/send', params('ask', fields));
    expect(asked.status.state).toBe('input-required');
    expect((await alice.ok<DraftTask>('tasks/get', { id: '1' })).status.state).toBe('completed');
    await bob.ok('tasks/cancel', { id: '1' });
    expect((await alice.ok<DraftTask>('tasks/get', { id: '1' })).status.state).toBe('completed');
  } finally {
    await own.close();
  }
});

test('D03 C04 a push configuration is set, replaced and read under the chosen id', async () => {
  const { id } = await send('ask');
  for (const url of ['https://example.com/hook', 'https://example.com/other']) {
    const config = { id, pushNotificationConfig: { url, token: 't' } };
    expect(await api.rpc.ok('tasks/pushNotification/set', config)).toEqual(config);
    expect(await api.rpc.ok('tasks/pushNotification/get', { id })).toEqual(config);
  }
  const unknown = { id: 'nobody-chose-it', pushNotificationConfig: { url: 'https://example.com' } };
  expect(await refusal('tasks/pushNotification/set', unknown)).toBe(-32001);
  expect(await refusal('tasks/pushNotification/get', { id: 'nobody-chose-it' })).toBe(-32001);
});

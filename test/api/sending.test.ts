import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Task } from '../../core/task.js';
import { sendParams, type SendFields } from '../support/rpc-client.js';
import { codeOf, BINDINGS, call, expectPlain, stream, type Answer } from './bindings.js';
import { eventually, startTestApi, type TestApi } from './test-api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ settings: { workerWaitMs: 150, directHoldMs: 100 } });
});
afterAll(() => api.close());

describe.each(BINDINGS)('over %s', (binding) => {
  const send = (
    text: string,
    fields: SendFields = {},
    headers: Record<string, string> = {},
  ): Promise<Answer> => call(api, binding, 'SendMessage', sendParams(text, fields), headers);
  const sent = async (text: string, fields: SendFields = {}): Promise<Task> => {
    const answer = await send(text, fields);
    if (answer.error) throw new Error(answer.error.message);
    return answer.result.task;
  };
  const get = async (id: string): Promise<Task> => (await call(api, binding, 'GetTask', { id })).result;
  const count = async (): Promise<number> => (await call(api, binding, 'ListTasks', {})).result.totalSize;

  test('C01 A02 a send blocks until the task settles', async () => {
    const task = await sent('hello');
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(task.status.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(task.id).toMatch(/^task\.[0-9a-f-]{36}$/);
    expect(task.contextId).toMatch(/^ctx\.[0-9a-f-]{36}$/);
    expect(task.artifacts).toEqual([{ artifactId: 'answer', parts: [{ text: 'hello hello' }] }]);
    expect(await get(task.id)).toEqual(task);
  });

  test.each([
    ['no configuration', {}],
    ['an empty one', { configuration: {} }],
    ['returnImmediately false', { configuration: { returnImmediately: false } }],
  ])('X09 C01 with %s a send waits for the end', async (_, fields) => {
    let answered = false;
    const sending = sent('gate', fields).finally(() => (answered = true));
    let working: Task[] = [];
    await eventually(async () => {
      const { result } = await call(api, binding, 'ListTasks', { status: 'TASK_STATE_WORKING' });
      working = result.tasks;
      return working.length > 0;
    });
    expect(answered).toBe(false);
    for (const { id } of working) api.worker.run(id).gate.open();
    expect((await sending).status.state).toBe('TASK_STATE_COMPLETED');
  });

  test('C01 returnImmediately returns at once and the work goes on', async () => {
    const task = await sent('gate', { configuration: { returnImmediately: true } });
    expect(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING']).toContain(task.status.state);
    api.worker.run(task.id).gate.open();
    await eventually(async () => (await get(task.id)).status.state === 'TASK_STATE_COMPLETED');
  });

  test('A14 C01 a question ends the wait, and a reply ends it at what comes after the reply', async () => {
    const asked = await sent('ask2');
    expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(asked.status.message?.parts).toEqual([{ text: 'Which city?' }]);
    const again = await sent('Berlin', { taskId: asked.id });
    expect(again.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(again.status.message?.parts).toEqual([{ text: 'Which day?' }]);
    const done = await sent('Monday', { taskId: asked.id, contextId: asked.contextId });
    expect(done.artifacts?.[0]?.parts).toEqual([{ text: 'Berlin Monday' }]);
    expect(done.history).toHaveLength(5);
  });

  test('A15 a message to an AUTH_REQUIRED task is recorded and returns the paused task at once', async () => {
    // A send that waited for the task would take longer than this test may.
    const patient = await startTestApi({ settings: { workerWaitMs: 600_000 } });
    try {
      const paused = await call(patient, binding, 'SendMessage', sendParams('auth'));
      const taskId = paused.result.task.id;
      const answer = await call(patient, binding, 'SendMessage', sendParams('hurry', { taskId }));
      const { status, history } = answer.result.task;
      expect(status.state).toBe('TASK_STATE_AUTH_REQUIRED');
      expect(history?.at(-1)?.parts).toEqual([{ text: 'hurry' }]);
      patient.worker.run(taskId).gate.open();
      await eventually(async () => {
        const { result } = await call(patient, binding, 'GetTask', { id: taskId });
        return result.status.state === 'TASK_STATE_COMPLETED';
      });
    } finally {
      await patient.close();
    }
  });

  test('A13 a message that is unread when the task ends stays in history; its sender gets the terminal task', async () => {
    const task = await sent('gate', { configuration: { returnImmediately: true } });
    const reply = sent('and then?', { taskId: task.id });
    await eventually(() => api.worker.received.includes('and then?'));
    api.worker.run(task.id).gate.open();
    const ended = await reply;
    expect(ended.status.state).toBe('TASK_STATE_COMPLETED');
    expect(ended.history?.map(({ parts }) => parts[0])).toContainEqual({ text: 'and then?' });
    api.worker.received.length = 0;
  });

  describe.each(['hello', 'fail', 'reject', 'cancel'])('after a task that ends by %s', (how) => {
    test('X01 A08 messages and subscriptions are refused, and the task is unchanged, also after a restart', async () => {
      const task = await sent(how === 'cancel' ? 'ask' : how);
      if (how === 'cancel') await call(api, binding, 'CancelTask', { id: task.id });
      const before = await get(task.id);
      for (const restarted of [false, true]) {
        if (restarted) await api.restart();
        for (const [operation, params] of [
          ['SendMessage', sendParams('beta', { taskId: task.id })],
          ['SendStreamingMessage', sendParams('beta', { taskId: task.id })],
          ['SubscribeToTask', { id: task.id }],
        ] as const) {
          const answer = await call(api, binding, operation, params);
          expect(answer.error).toMatchObject({
            code: codeOf(binding, 'UNSUPPORTED_OPERATION'),
            reason: 'UNSUPPORTED_OPERATION',
          });
          expectPlain(binding, answer);
        }
      }
      expect(await get(task.id)).toEqual(before);
    });
  });

  test('X20 X01 A08 an unknown task is not found, before any stream, and nothing is stored', async () => {
    const before = await count();
    const taskId = '00000000-aaaa-bbbb-cccc-000000000001';
    for (const [operation, params] of [
      ['SendMessage', sendParams('x', { taskId })],
      ['SendStreamingMessage', sendParams('x', { taskId })],
      ['GetTask', { id: taskId }],
      ['CancelTask', { id: taskId }],
      ['SubscribeToTask', { id: taskId }],
    ] as const) {
      const answer = await call(api, binding, operation, params);
      expect(answer.error).toMatchObject({
        code: codeOf(binding, 'TASK_NOT_FOUND'),
        reason: 'TASK_NOT_FOUND',
      });
      expectPlain(binding, answer);
    }
    expect(await count()).toBe(before);
  });

  test('X21 A09 a task in another context than the message says is an error and nothing is written', async () => {
    const task = await sent('ask');
    const { error } = await send('x', { taskId: task.id, contextId: 'elsewhere' });
    expect(error).toMatchObject({
      code: codeOf(binding, 'INVALID_PARAMS'),
      fields: ['message.contextId'],
    });
    expect((await get(task.id)).history).toEqual(task.history);
    const inferred = await sent('Rome', { taskId: task.id });
    expect(inferred.contextId).toBe(task.contextId);
    const another = await sent('hello', { contextId: task.contextId });
    expect(another.contextId).toBe(task.contextId);
    expect(another.id).not.toBe(task.id);
  });

  test.each(["o'hara `x` 🙂", 'c'.repeat(256)])('A09 X47 the contextId %s is kept', async (contextId) => {
    const task = await sent('hello', { contextId });
    expect(task.contextId).toBe(contextId);
    const { result } = await call(api, binding, 'ListTasks', { contextId });
    expect(result.tasks.map(({ id }: Task) => id)).toContain(task.id);
    expect(new Set(result.tasks.map(({ contextId }: Task) => contextId))).toEqual(new Set([contextId]));
  });

  test('A10 a reference has to be a task of the caller', async () => {
    const task = await sent('hello');
    expect((await send('hello', { referenceTaskIds: [task.id] })).error).toBeUndefined();
    const before = await count();
    const { error } = await send('hello', { referenceTaskIds: [task.id, 'task.nobody'] });
    expect(error).toMatchObject({ reason: 'TASK_NOT_FOUND', metadata: { taskId: 'task.nobody' } });
    expect(await count()).toBe(before);
  });

  test.each<[unknown, number]>([
    [undefined, 5],
    [0, 0],
    [2, 2],
    [99, 5],
  ])(
    'X08 A12 historyLength %s carries %s entries, on GetTask, SendMessage and ListTasks',
    async (historyLength, expected) => {
      const { id } = await sent('ask2');
      await sent('Berlin', { taskId: id });
      const limit = historyLength === undefined ? {} : { historyLength };
      const task = await sent('Monday', { taskId: id, configuration: limit });
      const got = (await call(api, binding, 'GetTask', { id, ...limit })).result as Task;
      const listed = (await call(api, binding, 'ListTasks', { contextId: task.contextId, ...limit })).result
        .tasks[0] as Task;
      for (const one of [task, got, listed]) {
        if (expected === 0) expect(one).not.toHaveProperty('history');
        else expect(one.history).toHaveLength(expected);
      }
      // What a limited read leaves out is still there.
      const whole = (await get(id)).history!;
      expect(whole).toHaveLength(5);
      if (expected > 0) expect(got.history).toEqual(whole.slice(-expected));
    },
  );

  describe('retried sends', () => {
    test('A20 X37 with an Idempotency-Key nothing runs twice', async () => {
      const key = { 'Idempotency-Key': `k-${binding}` };
      const params = sendParams('hello', { messageId: `idem-${binding}` });
      const before = api.worker.runCount;
      const [first, second] = await Promise.all([
        call(api, binding, 'SendMessage', params, key),
        call(api, binding, 'SendMessage', params, key),
      ]);
      const third = await call(api, binding, 'SendMessage', params, key);
      expect(second.result.task.id).toBe(first.result.task.id);
      expect(third.result).toEqual(first.result);
      expect(api.worker.runCount).toBe(before + 1);
      const other = await call(api, binding, 'SendMessage', sendParams('other content'), key);
      expect(other.error?.fields).toEqual(['Idempotency-Key']);
      const stranger = await call(api, binding, 'SendMessage', { ...params, tenant: 'acme' }, key);
      expect(stranger.result.task.id).not.toBe(first.result.task.id);
    });

    test('A20 X37 a follow-up that is repeated is taken once, also when the task has ended', async () => {
      const task = await sent('ask');
      const reply = { taskId: task.id, messageId: `r-${binding}` };
      const [one, two] = await Promise.all([sent('Oslo', reply), sent('Oslo', reply)]);
      expect(one.status.state).toBe('TASK_STATE_COMPLETED');
      expect(two.status.state).toBe('TASK_STATE_COMPLETED');
      const again = await sent('Oslo', reply);
      expect(again).toEqual(one);
      expect(again.history?.filter(({ role }) => role === 'ROLE_USER')).toHaveLength(2);
      expect((await send('Bergen', reply)).error?.reason).toBe('UNSUPPORTED_OPERATION');
    });

    test('A20 without a key two new sends are two tasks, even with one messageId', async () => {
      const one = await sent('hello', { messageId: 'same' });
      const two = await sent('hello', { messageId: 'same' });
      expect(two.id).not.toBe(one.id);
    });
  });

  test('C11 a part outside the declared input modes is refused before a task exists', async () => {
    const before = await count();
    const parts = [{ raw: 'AAEC', mediaType: 'image/png' }];
    const { error } = await call(api, binding, 'SendMessage', sendParams(parts));
    expect(error).toMatchObject({
      code: codeOf(binding, 'CONTENT_TYPE_NOT_SUPPORTED'),
      reason: 'CONTENT_TYPE_NOT_SUPPORTED',
      metadata: { field: 'message.parts[0].mediaType' },
    });
    expect(await count()).toBe(before);
    const accepted = sendParams([{ text: 'hello', mediaType: 'TEXT/Markdown; charset=utf-8' }]);
    expect((await call(api, binding, 'SendMessage', accepted)).error).toBeUndefined();
  });

  test('C11 __proto__ and friends travel through as data', async () => {
    const data = JSON.parse('{"__proto__":{"a":1},"constructor":2}') as object;
    const task = (await call(api, binding, 'SendMessage', sendParams([{ data }], { metadata: data }))).result
      .task;
    expect(JSON.stringify(task.history?.[0]?.parts[0])).toBe(
      '{"data":{"__proto__":{"a":1},"constructor":2}}',
    );
  });

  const big = 'x'.repeat(300_000);
  test.each<[string, object, object]>([
    ['metadata of the message', { metadata: { big } }, {}],
    ['metadata of a part', { parts: [{ text: 'a', metadata: { big } }] }, {}],
    ['a file name', { parts: [{ text: 'a', filename: big }] }, {}],
    ['a URL', { parts: [{ url: `https://files.example/${big}` }] }, {}],
    [
      'extensions',
      { extensions: Array.from({ length: 10_000 }, (_, n) => `urn:example:extension:${n}`) },
      {},
    ],
    ['metadata of the request', {}, { metadata: { big } }],
    ['output modes', {}, { configuration: { acceptedOutputModes: [`text/plain;${big}`] } }],
  ])('X33 C12 too big %s: refused while there is no task', async (_, ofMessage, ofRequest) => {
    const before = await count();
    const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'a' }], ...ofMessage };
    const { error } = await call(api, binding, 'SendMessage', { message, ...ofRequest });
    expect(error?.code).toBe(codeOf(binding, 'PAYLOAD_TOO_LARGE'));
    expect(error?.message).toMatch(/^Beside the content of its parts/);
    const paused = await sent('ask');
    const followUp = { message: { ...message, taskId: paused.id }, ...ofRequest };
    expect((await call(api, binding, 'SendMessage', followUp)).error?.code).toBe(error?.code);
    expect((await get(paused.id)).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(await count()).toBe(before + 1);
  });

  test('C12 a 5 MB file goes in and comes out whole', async () => {
    const raw = Buffer.alloc(5 * 1024 * 1024, 'abc').toString('base64');
    const task = (await call(api, binding, 'SendMessage', sendParams([{ text: 'hello' }, { raw }]))).result
      .task;
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    const got = await get(task.id);
    expect(got.history?.[0]?.parts[1]).toEqual({ raw });
  });

  test('F05 X15 with all workers down a send is accepted, answered as it is and run once later; reads work', async () => {
    api.worker.stop();
    try {
      const started = performance.now();
      const task = await sent('hello');
      expect(performance.now() - started).toBeGreaterThan(100);
      expect(task.status.state).toBe('TASK_STATE_SUBMITTED');
      expect(await get(task.id)).toEqual(task);
      api.worker.resume();
      await eventually(async () => (await get(task.id)).status.state === 'TASK_STATE_COMPLETED');
    } finally {
      api.worker.resume();
    }
  });

  test('F05 X15 a reply that no worker takes up holds nobody for minutes', async () => {
    const task = await sent('ask');
    api.worker.stop();
    const reply = sent('Paris', { taskId: task.id });
    expect((await reply).history?.at(-1)?.parts).toEqual([{ text: 'Paris' }]);
    api.worker.resume();
    await eventually(async () => (await get(task.id)).status.state === 'TASK_STATE_COMPLETED');
  });

  test('F05 A13 waiting for a turn is not waiting for a worker', async () => {
    const first = await sent('gate', { configuration: { returnImmediately: true } });
    const second = sent('hello', { contextId: first.contextId });
    await new Promise((resolve) => setTimeout(resolve, 400));
    api.worker.run(first.id).gate.open();
    expect((await second).status.state).toBe('TASK_STATE_COMPLETED');
  });

  describe('direct answers', () => {
    const direct = (agent: string, text: string, configuration: object = {}) => {
      const path = `${api.url}/agents/${agent}`;
      return call({ ...api, url: path }, binding, 'SendMessage', sendParams(text, { configuration }));
    };

    test('A03 an agent may answer with a Message, which no task operation shows', async () => {
      const { result } = await direct('direct', 'say');
      expect(result.message).toMatchObject({ role: 'ROLE_AGENT', parts: [{ text: 'directly' }] });
      expect(result.message.contextId).toMatch(/^ctx\./);
      const { result: list } = await call(
        { ...api, url: `${api.url}/agents/direct` },
        binding,
        'ListTasks',
        {},
      );
      expect(list.totalSize).toBe(0);
    });

    test('A03 returnImmediately has no effect on a direct answer', async () => {
      expect((await direct('either', 'say', { returnImmediately: true })).result.message.parts).toEqual([
        { text: 'directly' },
      ]);
    });

    test('A03 an agent that answers either way shows its task at its first act', async () => {
      const { result } = await direct('either', 'hello');
      expect(result.task.status.state).toBe('TASK_STATE_COMPLETED');
    });

    test('A03 after a second at most the task shows, and a later direct answer becomes its artifact', async () => {
      const { result } = await direct('either', 'say-late', { returnImmediately: true });
      expect(result.task.status.state).toBe('TASK_STATE_SUBMITTED');
      api.worker.run(result.task.id).gate.open();
      const at = { ...api, url: `${api.url}/agents/either` };
      const read = async () => (await call(at, binding, 'GetTask', { id: result.task.id })).result as Task;
      await eventually(async () => (await read()).status.state === 'TASK_STATE_COMPLETED');
      expect((await read()).artifacts?.[0]?.parts).toEqual([{ text: 'late' }]);
    });

    test('A03 B01 a stream that answers directly carries one message and closes', async () => {
      const at = { ...api, url: `${api.url}/agents/direct` };
      const frames = await stream(at, binding, 'SendStreamingMessage', sendParams('say'));
      expect(frames.map(({ event }) => Object.keys(event))).toEqual([['message']]);
    });
  });

  test('X24 C08 what the card does not declare answers with its own error', async () => {
    const card = await call(api, binding, 'GetExtendedAgentCard', {});
    expect(card.error).toMatchObject({
      code: codeOf(binding, 'UNSUPPORTED_OPERATION'),
      reason: 'UNSUPPORTED_OPERATION',
    });
    const whole = { ...api, url: `${api.url}/agents/whole` };
    const noPush = {
      code: codeOf(binding, 'PUSH_NOTIFICATION_NOT_SUPPORTED'),
      reason: 'PUSH_NOTIFICATION_NOT_SUPPORTED',
    };
    const push = { taskPushNotificationConfig: { url: 'https://example.com/hook' } };
    const before = await count();
    const refused = await call(whole, binding, 'SendMessage', sendParams('hello', { configuration: push }));
    expect(refused.error).toMatchObject(noPush);
    expect(await count()).toBe(before);
    for (const operation of ['Create', 'Get', 'List', 'Delete']) {
      const name = `${operation}TaskPushNotificationConfig${operation === 'List' ? 's' : ''}`;
      const config = { taskId: 't', id: 'c', ...(operation === 'Create' && { url: 'https://example.com' }) };
      const { error } = await call(whole, binding, name, operation === 'List' ? { taskId: 't' } : config);
      expect(error).toMatchObject(noPush);
    }
    for (const operation of ['SendStreamingMessage', 'SubscribeToTask']) {
      const params = operation === 'SubscribeToTask' ? { id: 't' } : sendParams('hello');
      const { error } = await call(whole, binding, operation, params);
      expect(error).toMatchObject({
        code: codeOf(binding, 'UNSUPPORTED_OPERATION'),
        reason: 'UNSUPPORTED_OPERATION',
      });
    }
  });

  test('X02 every follow-up around the end is in the history or refused, never lost', async () => {
    for (let round = 0; round < 10; round += 1) {
      const task = await sent('gate', { configuration: { returnImmediately: true } });
      const sends = Array.from({ length: 10 }, (_, n) => send(`f${n}`, { taskId: task.id }));
      api.worker.run(task.id).gate.open();
      const answers = await Promise.all(sends);
      const texts = (await get(task.id)).history!.map(({ parts }) => (parts[0] as { text: string }).text);
      for (const [n, { result, error }] of answers.entries()) {
        expect(error?.reason ?? 'accepted').toBe(result ? 'accepted' : 'UNSUPPORTED_OPERATION');
        expect(texts.includes(`f${n}`)).toBe(result !== undefined);
      }
    }
  });
});

test('A09 F06 another tenant sees nothing of a task', async () => {
  const { result } = await call(api, 'JSON-RPC', 'SendMessage', { ...sendParams('hello'), tenant: 'acme' });
  const { id } = result.task;
  for (const tenant of [{}, { tenant: 'other' }]) {
    expect((await call(api, 'JSON-RPC', 'GetTask', { id, ...tenant })).error?.reason).toBe('TASK_NOT_FOUND');
  }
  expect((await call(api, 'JSON-RPC', 'GetTask', { id, tenant: 'acme' })).result.id).toBe(id);
  expect(
    (await call({ ...api, url: `${api.url}/agents/other` }, 'JSON-RPC', 'GetTask', { id, tenant: 'acme' }))
      .error?.reason,
  ).toBe('TASK_NOT_FOUND');
});

test('B10 nothing is left open when all is done', async () => {
  await eventually(() => api.app.service.openReaders === 0 && api.app.openStreams === 0);
});

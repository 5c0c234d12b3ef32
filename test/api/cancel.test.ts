import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Task } from '../../core/task.js';
import { sendParams } from '../support/rpc-client.js';
import { codeOf, BINDINGS, call, openStream } from './bindings.js';
import { eventually, startTestApi, type TestApi } from './test-api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ settings: { cancelWaitMs: 200 } });
});
afterAll(() => api.close());

describe.each(BINDINGS)('over %s', (binding) => {
  const started = async (text: string): Promise<Task> => {
    const params = sendParams(text, { configuration: { returnImmediately: text !== 'ask' } });
    return (await call(api, binding, 'SendMessage', params)).result.task;
  };
  const get = async (id: string): Promise<Task> => (await call(api, binding, 'GetTask', { id })).result;
  const notCancelable = { code: codeOf(binding, 'TASK_NOT_CANCELABLE'), reason: 'TASK_NOT_CANCELABLE' };

  test('A16 X06 a paused task is canceled, with an empty body too', async () => {
    const { id } = await started('ask');
    const { result } = await call(api, binding, 'CancelTask', { id });
    expect(result).toMatchObject({ id, status: { state: 'TASK_STATE_CANCELED' } });
    expect(await get(id)).toEqual(result);
    const another = await started('ask');
    const response = await fetch(`${api.url}/a2a/rest/tasks/${another.id}:cancel`, { method: 'POST' });
    expect(response.status).toBe(200);
    expect(((await response.json()) as Task).status.state).toBe('TASK_STATE_CANCELED');
  });

  test('A16 X06 a task whose agent ignores cancellation is closed by the server', async () => {
    const { id } = await started('stubborn');
    await eventually(async () => (await get(id)).status.state === 'TASK_STATE_WORKING');
    const before = performance.now();
    const { result } = await call(api, binding, 'CancelTask', { id });
    expect(result.status.state).toBe('TASK_STATE_CANCELED');
    expect(performance.now() - before).toBeGreaterThan(150);
    // What its run writes afterwards is dropped (A06).
    await expect(api.worker.run(id).status('TASK_STATE_COMPLETED')).rejects.toThrow();
    expect((await get(id)).status.state).toBe('TASK_STATE_CANCELED');
  });

  test('A16 X15 with all workers down a cancel still ends the task', async () => {
    api.worker.stop();
    try {
      const { id } = await started('hello');
      const { result } = await call(api, binding, 'CancelTask', { id });
      expect(result.status.state).toBe('TASK_STATE_CANCELED');
    } finally {
      api.worker.resume();
    }
  });

  test('A16 a client that goes away while it cancels has canceled', async () => {
    api.worker.stop();
    try {
      const { id } = await started('hello');
      const gone = new AbortController();
      const cancel = fetch(`${api.url}/a2a/rest/tasks/${id}:cancel`, { method: 'POST', signal: gone.signal });
      setTimeout(() => gone.abort(), 50);
      await expect(cancel).rejects.toThrow();
      await eventually(async () => (await get(id)).status.state === 'TASK_STATE_CANCELED');
    } finally {
      api.worker.resume();
    }
  });

  test('X45 A16 ten cancels in parallel on one running task all give the canceled task', async () => {
    const { id } = await started('stubborn');
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => call(api, binding, 'CancelTask', { id })),
    );
    for (const { result } of answers) expect(result.status.state).toBe('TASK_STATE_CANCELED');
    expect(new Set(answers.map(({ result }) => JSON.stringify(result))).size).toBe(1);
  });

  test.each(['hello', 'fail', 'reject', 'canceled'])(
    'X45 A16 a task that ended by %s cannot be canceled',
    async (how) => {
      const { id } = await started(how === 'canceled' ? 'ask' : how);
      if (how === 'canceled') await call(api, binding, 'CancelTask', { id });
      else await eventually(async () => !/SUBMITTED|WORKING/.test((await get(id)).status.state));
      const before = await get(id);
      expect((await call(api, binding, 'CancelTask', { id })).error).toMatchObject(notCancelable);
      expect(await get(id)).toEqual(before);
    },
  );

  test('X06 a cancel that meets the completion has one winner, the same in every view', async () => {
    for (let round = 0; round < 30; round += 1) {
      const { id } = await started('gate');
      await eventually(async () => (await get(id)).status.state === 'TASK_STATE_WORKING');
      const gone = new AbortController();
      const frames = openStream(api, binding, 'SubscribeToTask', { id }, {}, gone.signal);
      await frames.next();
      const { gate } = api.worker.run(id);
      if (round % 2 === 0) gate.open();
      const cancel = call(api, binding, 'CancelTask', { id });
      if (round % 2 === 1) setImmediate(gate.open);
      const { result, error } = await cancel;
      let last: unknown;
      for await (const { event } of frames) last = event;
      const { status } = await get(id);
      const listed = (await call(api, binding, 'ListTasks', { pageSize: 100 })).result.tasks;
      expect(last).toMatchObject({ statusUpdate: { status: { state: status.state } } });
      expect(listed.find((task) => task.id === id)?.status).toEqual(status);
      if (result === undefined) expect(error).toMatchObject(notCancelable);
      expect(status.state).toBe(result === undefined ? 'TASK_STATE_COMPLETED' : 'TASK_STATE_CANCELED');
    }
  });
});

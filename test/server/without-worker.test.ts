import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Task } from '../../core/task.js';
import { script } from '../agents/script.js';
import type { Frame } from '../support/rpc-client.js';
import { startStack, type Stack } from '../support/stack.js';

/** All workers down, from before the first test on; the last test brings one back. */
let stack: Stack;
let finished: Task;
let running: Task;
let paused: Task;
const accepted: Task[] = [];
beforeAll(async () => {
  stack = await startStack({ env: { WORKER_WAIT: '1s', CANCEL_WAIT: '1s' } });
  finished = await stack.rpc.send([script({ do: 'complete', text: 'before' })]);
  paused = await stack.rpc.send([script({ do: 'ask', text: '?' }, { do: 'echo' })]);
  running = await stack.rpc.send(
    [script({ do: 'sleep', millis: 1_500 }, { do: 'complete', text: 'after' })],
    {
      configuration: { returnImmediately: true },
    },
  );
  await stack.rpc.until(running.id, ['TASK_STATE_WORKING']);
  await stack.stopWorker();
});
afterAll(() => stack.close());

async function timed<T>(work: Promise<T>): Promise<{ result: T; millis: number }> {
  const began = Date.now();
  const result = await work;
  return { result, millis: Date.now() - began };
}

test('X15 F05 finished, paused and running tasks are read at once, and all are listed', async () => {
  const reads = await timed(Promise.all([finished, paused, running].map(({ id }) => stack.rpc.get(id))));
  expect(reads.result.map(({ status }) => status.state)).toEqual([
    'TASK_STATE_COMPLETED',
    'TASK_STATE_INPUT_REQUIRED',
    'TASK_STATE_WORKING',
  ]);
  expect(reads.millis).toBeLessThan(1_000);
  const list = await stack.rpc.ok<{ tasks: Task[] }>('ListTasks', {});
  expect(list.tasks.map(({ id }) => id)).toEqual(
    expect.arrayContaining([finished.id, paused.id, running.id]),
  );
});

test('X15 F05 a blocking send answers with the submitted task instead of holding the socket', async () => {
  const { result, millis } = await timed(stack.rpc.send([script({ do: 'complete', text: 'late' })]));
  expect(result.status.state).toBe('TASK_STATE_SUBMITTED');
  expect(millis).toBeLessThan(4_000);
  accepted.push(result);
});

test('X15 a follow-up is accepted and stands in the history', async () => {
  await stack.rpc.send('my reply', { taskId: paused.id, configuration: { returnImmediately: true } });
  const { history } = await stack.rpc.get(paused.id);
  expect(history?.at(-1)?.parts).toEqual([{ text: 'my reply' }]);
});

test('X15 A16 a cancel is carried out within seconds without a worker', async () => {
  const task = await stack.rpc.send('to be cancelled', { configuration: { returnImmediately: true } });
  const { result, millis } = await timed(stack.rpc.ok<Task>('CancelTask', { id: task.id }));
  expect(result.status.state).toBe('TASK_STATE_CANCELED');
  expect(millis).toBeLessThan(4_000);
  accepted.push(task);
});

test('X15 F05 when a worker is back accepted work runs once, and a stream that waited gets it all', async () => {
  const [late, cancelled] = accepted;
  if (!late || !cancelled) throw new Error('the tests before did not run');
  const seen: Frame[] = [];
  const stream = (async () => {
    for await (const frame of stack.rpc.stream('SubscribeToTask', { id: late.id })) seen.push(frame);
  })();
  await stack.startWorker();
  await stream;
  const states = seen.flatMap(({ event }) =>
    'statusUpdate' in event ? [event.statusUpdate.status.state] : [],
  );
  expect(states).toEqual(['TASK_STATE_WORKING', 'TASK_STATE_COMPLETED']);
  expect((await stack.rpc.until(late.id, ['TASK_STATE_COMPLETED'])).artifacts).toHaveLength(1);
  await stack.rpc.until(running.id, ['TASK_STATE_COMPLETED']);
  await stack.rpc.until(paused.id, ['TASK_STATE_COMPLETED']);
  expect((await stack.rpc.get(cancelled.id)).status.state).toBe('TASK_STATE_CANCELED');
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Task } from '../../core/task.js';
import { script } from '../agents/script.js';
import { abortedCalls } from '../support/aborted-calls.js';
import { startStack, type Stack } from '../support/stack.js';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

const atOnce = { configuration: { returnImmediately: true } };

async function cancelled(id: string): Promise<Task> {
  const task = await stack.rpc.ok<Task>('CancelTask', { id });
  expect(task.status.state).toBe('TASK_STATE_CANCELED');
  return task;
}

test('X06 A16 cancel of an agent that ignores it ends CANCELED within seconds', async () => {
  const task = await stack.rpc.send([script({ do: 'activity', millis: 30_000, stubborn: true })], atOnce);
  await stack.rpc.until(task.id, ['TASK_STATE_WORKING']);
  const started = Date.now();
  await cancelled(task.id);
  expect(Date.now() - started).toBeLessThan(4_000);
});

test('X06 A16 cancel of a task that waits for input, and of one that sleeps', async () => {
  for (const step of [{ do: 'ask', text: '?' } as const, { do: 'sleep', millis: 60_000 } as const]) {
    const task = await stack.rpc.send([script(step)], atOnce);
    await stack.rpc.until(task.id, ['TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_WORKING']);
    await cancelled(task.id);
  }
});

test('X45 A16 ten cancels at once all give the cancelled task; one after it is TaskNotCancelable', async () => {
  const task = await stack.rpc.send([script({ do: 'activity', millis: 30_000 })], atOnce);
  await stack.rpc.until(task.id, ['TASK_STATE_WORKING']);
  // Ten open connections, so that the ten requests really come at once.
  await Promise.all(Array.from({ length: 10 }, () => stack.rpc.get(task.id)));
  await Promise.all(Array.from({ length: 10 }, () => cancelled(task.id)));
  const late = await stack.rpc.call('CancelTask', { id: task.id });
  expect(late.error?.code).toBe(-32002);
});

test('X06 A06 a cancel at the instant of completion has one winner, the same everywhere, 60 rounds', async () => {
  for (let round = 0; round < 60; round++) {
    const task = await stack.rpc.send(
      [script({ do: 'sleep', millis: round % 20 }, { do: 'complete' })],
      atOnce,
    );
    await new Promise((resolve) => setTimeout(resolve, round % 23));
    const answer = await stack.rpc.call<Task>('CancelTask', { id: task.id });
    const end = await stack.rpc.until(task.id, ['TASK_STATE_CANCELED', 'TASK_STATE_COMPLETED']);
    if (answer.error) {
      expect(answer.error.code).toBe(-32002);
      expect(end.status.state).toBe('TASK_STATE_COMPLETED');
    } else {
      expect(answer.result.status.state).toBe(end.status.state);
    }
    const events = await stack.journal.readEvents(task.id, 0, 100);
    const terminal = events.filter(
      ({ event }) =>
        'statusUpdate' in event &&
        ['TASK_STATE_CANCELED', 'TASK_STATE_COMPLETED'].includes(event.statusUpdate.status.state),
    );
    expect(terminal).toHaveLength(1);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
  }
});

test('A16 cancel of the workflow by another Temporal client ends the task CANCELED', async () => {
  const task = await stack.rpc.send([script({ do: 'ask', text: '?' })]);
  await stack.client.workflow.getHandle(task.id).cancel();
  await stack.rpc.until(task.id, ['TASK_STATE_CANCELED']);
});

test('X39 A16 a cancel aborts the running activity and ends the run', async () => {
  const task = await stack.rpc.send([script({ do: 'activity', millis: 30_000 })], atOnce);
  await stack.rpc.until(task.id, ['TASK_STATE_WORKING']);
  await cancelled(task.id);
  const started = Date.now();
  await stack.client.workflow.getHandle(task.id).result();
  expect(Date.now() - started).toBeLessThan(5_000);
  // The activity saw its signal: it is not running any more when the next one starts.
  await expect.poll(() => abortedCalls(), { timeout: 5_000 }).toBeGreaterThan(0);
});

test('A13 A16 a task that waits for its turn can be cancelled', async () => {
  const contextId = `ctx-turn-${Date.now()}`;
  const first = await stack.rpc.send([script({ do: 'activity', millis: 2_000 })], { ...atOnce, contextId });
  const second = await stack.rpc.send('hello', { ...atOnce, contextId });
  await cancelled(second.id);
  const end = await stack.rpc.until(first.id, ['TASK_STATE_COMPLETED']);
  expect(end.status.state).toBe('TASK_STATE_COMPLETED');
});

import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createReconcileActivities } from '../../activities/reconcile.js';
import { ANONYMOUS } from '../../core/caller.js';
import { prefixedId } from '../../core/ids.js';
import type { RunView } from '../../core/runs.js';
import { TASK_WORKFLOW } from '../../core/task-workflow.js';
import type { Task } from '../../core/task.js';
import { openSqliteJournal } from '../../journal/index.js';
import { script } from '../agents/script.js';
import { startStack, type Stack } from '../support/stack.js';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

const MINUTE = { timeout: 90_000 };

async function failedWithinAMinute(taskId: string): Promise<Task> {
  const began = Date.now();
  const task = await stack.rpc.until(taskId, ['TASK_STATE_FAILED'], 60_000);
  expect(Date.now() - began).toBeLessThan(60_000);
  return task;
}

const paused = (): Promise<Task> => stack.rpc.send([script({ do: 'ask', text: '?' })]);

test.concurrent(
  'F04 X38 a terminated run is FAILED in every view, and its stream closes',
  MINUTE,
  async () => {
    const task = await stack.rpc.send([script({ do: 'activity', millis: 120_000 })], {
      configuration: { returnImmediately: true },
    });
    await stack.rpc.until(task.id, ['TASK_STATE_WORKING']);
    const states: string[] = [];
    const stream = (async () => {
      for await (const { event } of stack.rpc.stream('SubscribeToTask', { id: task.id })) {
        if ('statusUpdate' in event) states.push(event.statusUpdate.status.state);
      }
    })();
    await stack.client.workflow.getHandle(task.id).terminate('by an operator');
    const failed = await failedWithinAMinute(task.id);
    expect(failed.status.message?.parts).toEqual([{ text: 'The task was terminated' }]);
    await stream;
    expect(states.at(-1)).toBe('TASK_STATE_FAILED');
    const { tasks } = await stack.rpc.ok<{ tasks: Task[] }>('ListTasks', { contextId: task.contextId });
    expect(tasks.map(({ status }) => status.state)).toEqual(['TASK_STATE_FAILED']);
  },
);

test.concurrent(
  'F04 X38 a run that was deleted leaves a FAILED task, which stays readable',
  MINUTE,
  async () => {
    const task = await paused();
    await stack.client.workflowService.deleteWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId: task.id },
    });
    const failed = await failedWithinAMinute(task.id);
    expect(failed.status.message?.parts).toEqual([
      { text: expect.stringMatching(/terminated|lost/) as string },
    ]);
  },
);

test.concurrent('F04 X38 a run whose time is up is FAILED', MINUTE, async () => {
  const { taskQueue } = await describe(await paused());
  const taskId = prefixedId('task', Date.now(), randomUUID());
  const { commands } = await stack.journal.accept({
    taskId,
    contextId: 'timed',
    caller: ANONYMOUS,
    agent: 'script',
    message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [script({ do: 'ask', text: '?' })] },
    options: {},
    visible: true,
  });
  const [command] = commands;
  if (command?.kind !== 'start') throw new Error('no start command');
  // As the dispatcher starts it, but with an end that comes soon.
  await stack.client.workflow.start(TASK_WORKFLOW, {
    workflowId: taskId,
    taskQueue,
    args: [{ start: command.start }],
    workflowExecutionTimeout: '3 seconds',
  });
  await stack.journal.commandDone(command.id);
  const failed = await failedWithinAMinute(taskId);
  expect(failed.status.message?.parts).toEqual([{ text: 'The task took too long' }]);
});

test.concurrent('F04 a paused task and a long one are left alone', MINUTE, async () => {
  const task = await paused();
  const long = await stack.rpc.send([
    script({ do: 'activity', millis: 50_000 }, { do: 'complete', text: 'done' }),
  ]);
  expect(long.status.state).toBe('TASK_STATE_COMPLETED');
  expect((await stack.rpc.ok<Task>('GetTask', { id: task.id })).status.state).toBe(
    'TASK_STATE_INPUT_REQUIRED',
  );
});

async function describe(task: Task): Promise<{ taskQueue: string }> {
  return stack.client.workflow.getHandle(task.id).describe();
}

test('F04 the walk through open tasks goes on where the last pass ended, and begins anew at the end', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'a2a-reconcile-'));
  const journal = await openSqliteJournal({ file: join(folder, 'journal.db') });
  const taskIds = Array.from({ length: 1_500 }, () => prefixedId('task', Date.now(), randomUUID())).sort();
  await Promise.all(
    taskIds.map(async (taskId) => {
      const { commands } = await journal.accept({
        taskId,
        contextId: taskId,
        caller: ANONYMOUS,
        agent: 'script',
        message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: '' }] },
        options: {},
        visible: true,
      });
      // The last one is still in the outbox: it is the dispatcher's.
      if (taskId !== taskIds.at(-1)) await Promise.all(commands.map(({ id }) => journal.commandDone(id)));
    }),
  );
  const asked: string[] = [];
  const lost = taskIds[1_200] ?? '';
  const runs: RunView = {
    endedAbnormally: async () => [],
    async notRunning(ids) {
      asked.push(...ids);
      return ids.filter((id) => id === lost);
    },
    status: async () => 'gone',
  };
  const { reconcile } = createReconcileActivities({
    journal,
    runs,
    log: { warn: () => undefined },
    clock: () => new Date(Date.now() + 60_000),
  });
  const first = await reconcile(undefined);
  expect(first.after).toBe(taskIds[999]);
  const second = await reconcile(first);
  expect(second.after).toBeUndefined();
  expect(asked).toEqual(taskIds.slice(0, -1));
  expect((await journal.readAny(lost))?.task.status.state).toBe('TASK_STATE_FAILED');
  await journal.close();
  await rm(folder, { recursive: true, force: true });
});

import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { ANONYMOUS } from '../../core/caller.js';
import { prefixedId } from '../../core/ids.js';
import type { Command, Journal, NewTask } from '../../core/journal.js';
import { RECONCILE_WORKFLOW, TASK_WORKFLOW } from '../../core/task-workflow.js';
import { Dispatcher, TemporalConnection } from '../../dispatch/index.js';
import { openSqliteJournal } from '../../journal/index.js';
import { findTemporalBinary } from '../../server/temporal-binary.js';
import { startTemporal, type TemporalProcess } from '../../server/temporal-process.js';
import * as workflows from '../../workflows/index.js';

/** Real journal, real Temporal, no worker: what counts is what Temporal was told. */
const log = pino({ level: 'silent' });
const scope = { ...ANONYMOUS, agent: 'script' };
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'a2a-dispatch-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Setup {
  journal: Journal;
  temporal: TemporalConnection;
  taskQueue: string;
  dispatcher: Dispatcher;
  /** A second one, as in another process on the same journal. */
  another(): Promise<Dispatcher>;
  accept(message?: object): Promise<{ taskId: string; commands: Command[] }>;
  /** Ids of all runs that Temporal has of a task. */
  runs(taskId: string): Promise<string[]>;
  pending(): Promise<Command[]>;
  close(): Promise<void>;
}

async function setup(address = inject('temporalAddress')): Promise<Setup> {
  const journal = await openSqliteJournal({ file: join(folder, `${randomUUID()}.db`) });
  const taskQueue = `dispatch-${randomUUID()}`;
  const closing: (() => Promise<void>)[] = [];
  async function connect(): Promise<{ temporal: TemporalConnection; dispatcher: Dispatcher }> {
    const temporal = new TemporalConnection({ address, namespace: 'default' }, log);
    await temporal.connected();
    const dispatcher = new Dispatcher({ journal, temporal, taskQueue, log });
    closing.push(async () => {
      await dispatcher.close(100);
      await temporal.close();
    });
    return { temporal, dispatcher };
  }
  const { temporal, dispatcher } = await connect();
  return {
    journal,
    temporal,
    taskQueue,
    dispatcher,
    another: async () => (await connect()).dispatcher,
    async accept(message = {}) {
      const { commands, taskId } = await journal.accept(newTask(message));
      return { taskId, commands };
    },
    async runs(taskId) {
      const { client } = await temporal.connected();
      const runs: string[] = [];
      for await (const run of client.workflow.list({ query: `WorkflowId = '${taskId}'` }))
        runs.push(run.runId);
      return runs;
    },
    pending: () => journal.pendingCommands(new Date(Date.now() + 60_000), 10_000),
    async close() {
      for (const close of closing) await close();
      await journal.close();
    },
  };
}

function newTask(message: object): NewTask {
  return {
    taskId: prefixedId('task', Date.now(), randomUUID()),
    contextId: prefixedId('ctx', Date.now(), randomUUID()),
    caller: ANONYMOUS,
    agent: 'script',
    message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'hello' }], ...message },
    options: {},
    visible: true,
  };
}

const within = { timeout: 30_000, interval: 50 };

test('F05 the names by which Temporal is told are those of the workflow', () => {
  expect(workflows).toHaveProperty(TASK_WORKFLOW, workflows.taskWorkflow);
  expect(workflows).toHaveProperty(RECONCILE_WORKFLOW, workflows.reconcileWorkflow);
});

test('F03 a task is started once, although two processes dispatch its command and each more than once', async () => {
  const s = await setup();
  const other = await s.another();
  const tasks = await Promise.all(Array.from({ length: 50 }, () => s.accept()));
  const commands = tasks.flatMap((task) => task.commands);
  s.dispatcher.deliver(commands);
  other.deliver(commands);
  s.dispatcher.start();
  other.start();
  other.deliver(commands);
  await vi.waitFor(async () => expect(await s.pending()).toEqual([]), within);
  await vi.waitFor(async () => {
    const runs = await Promise.all(tasks.map(({ taskId }) => s.runs(taskId)));
    expect(runs.map((ids) => ids.length)).toEqual(tasks.map(() => 1));
  }, within);
  await s.close();
});

test('F05 a task that no deliver ever saw is started from the outbox', async () => {
  const s = await setup();
  const { taskId } = await s.accept();
  s.dispatcher.start();
  await vi.waitFor(async () => expect(await s.runs(taskId)).toHaveLength(1), within);
  await s.close();
});

test('F05 what is accepted while Temporal is killed and restarted is started once it is back', async () => {
  const temporal: TemporalProcess = await startTemporal({
    binary: await findTemporalBinary({ env: process.env, report: console.error }),
    databaseFile: join(folder, 'killed.db'),
    port: 0,
    uiPort: false,
    logFile: join(folder, 'killed.log'),
  });
  const s = await setup(temporal.address);
  s.dispatcher.start();
  const taskIds: string[] = [];
  let mostWaiting = 0;
  for (let i = 0; i < 60; i++) {
    const { taskId, commands } = await s.accept();
    taskIds.push(taskId);
    s.dispatcher.deliver(commands);
    if (i === 20) process.kill(-temporal.pid, 'SIGKILL');
    await delay(20);
    mostWaiting = Math.max(mostWaiting, (await s.pending()).length);
  }
  expect(mostWaiting).toBeGreaterThan(5);
  await vi.waitFor(async () => expect(await s.pending()).toEqual([]), within);
  expect(await s.dispatcher.ready()).toBe(true);
  for (const taskId of taskIds) {
    await vi.waitFor(async () => expect(await s.runs(taskId)).toHaveLength(1), within);
  }
  await s.close();
  await temporal.close();
});

test('F05 a server without Temporal starts, knows that it is not ready, and delivers when it comes', async () => {
  const journal = await openSqliteJournal({ file: join(folder, 'early.db') });
  const temporal = new TemporalConnection({ address: '127.0.0.1:9', namespace: 'default' }, log);
  const dispatcher = new Dispatcher({ journal, temporal, taskQueue: 'q', log }).start();
  const { commands } = await journal.accept(newTask({}));
  dispatcher.deliver(commands);
  expect(await dispatcher.ready()).toBe(false);
  await dispatcher.close();
  await temporal.close();
  await expect(temporal.connected()).rejects.toThrow('closed');
  expect(await journal.pendingCommands(new Date(Date.now() + 1_000), 10)).toHaveLength(1);
  await journal.close();
});

test('X15 without a worker a message waits in the outbox, and a cancel is not held back by it', async () => {
  const s = await setup();
  const { taskId, commands } = await s.accept();
  s.dispatcher.start();
  s.dispatcher.deliver(commands);
  await vi.waitFor(async () => expect(await s.runs(taskId)).toHaveLength(1), within);
  const message = newTask({}).message;
  s.dispatcher.deliver((await s.journal.acceptFollowUp({ taskId, scope, message, options: {} })).commands);
  s.dispatcher.deliver((await s.journal.requestCancel(scope, taskId)).commands);
  await vi.waitFor(async () => expect((await s.pending()).map(({ kind }) => kind)).toEqual(['message']), {
    timeout: 3_000,
    interval: 50,
  });
  const { client } = await s.temporal.connected();
  const { events } = await client.workflow.getHandle(taskId).fetchHistory();
  expect(
    events?.some((event) => event.workflowExecutionSignaledEventAttributes?.signalName === 'cancel'),
  ).toBe(true);
  await s.close();
});

test('A06 A16 a task that was closed before Temporal heard of it is not started', async () => {
  const s = await setup();
  const { taskId } = await s.accept();
  await s.journal.requestCancel(scope, taskId);
  await s.journal.closeTask(taskId, 'TASK_STATE_CANCELED');
  s.dispatcher.start();
  await vi.waitFor(async () => expect(await s.pending()).toEqual([]), within);
  expect(await s.runs(taskId)).toEqual([]);
  await s.close();
});

test.each([3, 6])(
  'X33 a start of %i MB, which Temporal can never take, ends the task and is not tried for ever',
  async (megabytes) => {
    const s = await setup();
    const { taskId, commands } = await s.accept({ metadata: { big: 'x'.repeat(megabytes * 1_000_000) } });
    s.dispatcher.deliver(commands);
    await vi.waitFor(async () => expect(await s.pending()).toEqual([]), within);
    const stored = await s.journal.readAny(taskId);
    expect(stored?.task.status.state).toBe('TASK_STATE_FAILED');
    await s.close();
  },
);

test('F03 a message to a run that is gone waits for the row to close, and is done then', async () => {
  const s = await setup();
  const { taskId, commands } = await s.accept();
  s.dispatcher.start();
  s.dispatcher.deliver(commands);
  await vi.waitFor(async () => expect(await s.runs(taskId)).toHaveLength(1), within);
  const { client } = await s.temporal.connected();
  await client.workflow.getHandle(taskId).terminate();
  const message = newTask({}).message;
  s.dispatcher.deliver((await s.journal.acceptFollowUp({ taskId, scope, message, options: {} })).commands);
  await delay(1_500);
  expect(await s.pending()).toHaveLength(1);
  await s.journal.closeTask(taskId, 'TASK_STATE_FAILED', 'terminated');
  await vi.waitFor(async () => expect(await s.pending()).toEqual([]), within);
  await s.close();
});

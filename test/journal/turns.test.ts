import { describe, expect, test } from 'vitest';
import type { Command, Entry } from '../../core/journal.js';
import type { SqlJournal } from '../../journal/index.js';
import { followUp, newTask, openJournal, Run, SCOPE, startRun, status } from './support.js';

const CONTEXT = { contextId: 'ctx.shared' };
const FUTURE = new Date(Date.now() + 3_600_000);

function turnsIn(commands: readonly Command[]): string[] {
  return commands.filter(({ kind }) => kind === 'turn').map(({ taskId }) => taskId);
}

async function startTurn(journal: SqlJournal, run: Run): Promise<boolean> {
  const commands = await journal.pendingCommands(FUTURE, 1_000);
  const start = commands.find((command) => command.kind === 'start' && command.taskId === run.taskId);
  return start?.kind === 'start' && start.start.turn;
}

describe('the turn of a context', () => {
  test('A13 the first task holds it from acceptance; the others wait and are served in order', async () => {
    const journal = await openJournal();
    const runs: Run[] = [];
    for (let i = 0; i < 4; i++) runs.push(await startRun(journal, CONTEXT));
    const [first, ...others] = runs as [Run, ...Run[]];
    expect(await Promise.all(runs.map((run) => startTurn(journal, run)))).toEqual([
      true,
      false,
      false,
      false,
    ]);
    const waiting = async (run: Run) => (await journal.read(SCOPE, run.taskId))?.waitingForTurn;
    expect(await Promise.all(runs.map(waiting))).toEqual([false, true, true, true]);

    let holder = first;
    for (const next of others) {
      expect((await next.append(status('TASK_STATE_WORKING'))).outcome).toBe('turn');
      await holder.append(status('TASK_STATE_WORKING'));
      const { commands } = await holder.append(status('TASK_STATE_COMPLETED'));
      expect(turnsIn(commands)).toEqual([next.taskId]);
      expect(await waiting(next)).toBe(false);
      expect((await next.append(status('TASK_STATE_WORKING'))).outcome).toBe('recorded');
      holder = next;
    }
    expect(turnsIn((await holder.append(status('TASK_STATE_COMPLETED'))).commands)).toEqual([]);
    expect(turnsIn(await journal.pendingCommands(FUTURE, 100))).toEqual(others.map(({ taskId }) => taskId));
  });

  test('A13 an append without the turn writes nothing but the request', async () => {
    const journal = await openJournal();
    await startRun(journal, CONTEXT);
    const run = await startRun(journal, CONTEXT);
    const before = await journal.readAny(run.taskId);
    const result = await run.append(status('TASK_STATE_WORKING'), status('TASK_STATE_COMPLETED'));
    expect(result).toMatchObject({
      outcome: 'turn',
      state: 'TASK_STATE_SUBMITTED',
      lastSeq: 1,
      lastKey: '',
      commands: [],
    });
    expect(await journal.readAny(run.taskId)).toEqual(before);
  });

  test('A13 a direct answer is a turn too', async () => {
    const journal = await openJournal();
    const first = await startRun(journal, CONTEXT);
    const second = await startRun(journal, { ...CONTEXT, visible: false });
    const answer: Entry = { kind: 'message', message: { parts: [{ text: '42' }] } };
    expect((await second.append(answer)).outcome).toBe('turn');
    expect(turnsIn((await first.append(status('TASK_STATE_COMPLETED'))).commands)).toEqual([second.taskId]);
    expect((await second.append(answer)).outcome).toBe('recorded');
    const third = await startRun(journal, CONTEXT);
    expect(await startTurn(journal, third)).toBe(true);
  });

  test('A13 other contexts, callers and tenants are independent', async () => {
    const journal = await openJournal();
    await startRun(journal, CONTEXT);
    const others = [
      await startRun(journal, { contextId: 'ctx.other' }),
      await startRun(journal, { ...CONTEXT, caller: { tenant: '', owner: 'bob' } }),
      await startRun(journal, { ...CONTEXT, caller: { tenant: 't', owner: 'anonymous' } }),
    ];
    for (const run of others)
      expect((await run.append(status('TASK_STATE_WORKING'))).outcome).toBe('recorded');
  });

  test('A13 a paused task holds no turn; its reply takes it where it is free', async () => {
    const journal = await openJournal();
    const run = await startRun(journal, CONTEXT);
    await run.append(status('TASK_STATE_INPUT_REQUIRED', 'which?'));
    const reply = await journal.acceptFollowUp(followUp(run.taskId));
    expect(reply.commands).toMatchObject([{ kind: 'message', delivery: { turn: true } }]);
    const second = await startRun(journal, CONTEXT);
    expect(await startTurn(journal, second)).toBe(false);
    expect((await run.append(status('TASK_STATE_WORKING'))).outcome).toBe('recorded');
    expect(turnsIn((await run.append(status('TASK_STATE_COMPLETED'))).commands)).toEqual([second.taskId]);
  });

  test('A13 a reply waits where another task works, and is served after it', async () => {
    const journal = await openJournal();
    const paused = await startRun(journal, CONTEXT);
    await paused.append(status('TASK_STATE_INPUT_REQUIRED', 'which?'));
    const working = await startRun(journal, CONTEXT);
    expect(await startTurn(journal, working)).toBe(true);
    const reply = await journal.acceptFollowUp(followUp(paused.taskId));
    expect(reply.commands).toMatchObject([{ kind: 'message', delivery: { turn: false } }]);
    expect((await journal.readAny(paused.taskId))?.waitingForTurn).toBe(true);
    const last = await startRun(journal, CONTEXT);
    expect((await paused.append(status('TASK_STATE_WORKING'))).outcome).toBe('turn');
    const { commands } = await working.append(status('TASK_STATE_WORKING'), status('TASK_STATE_COMPLETED'));
    expect(turnsIn(commands)).toEqual([paused.taskId]);
    const resumed = await paused.append(status('TASK_STATE_WORKING'), status('TASK_STATE_COMPLETED'));
    expect([resumed.outcome, turnsIn(resumed.commands)]).toEqual(['recorded', [last.taskId]]);
  });

  test('A13 the turn that a reply took is kept while the paused task writes on', async () => {
    const journal = await openJournal();
    const run = await startRun(journal, CONTEXT);
    await run.append(status('TASK_STATE_INPUT_REQUIRED', 'which?'));
    await journal.acceptFollowUp(followUp(run.taskId));
    const second = await startRun(journal, CONTEXT);
    await journal.appendDeltas([
      { taskId: run.taskId, key: 's:1:1', artifactId: 'a', append: false, text: 'x' },
    ]);
    const { commands } = await run.append(
      { kind: 'close', artifactId: 'a' },
      { kind: 'metadata', metadata: { n: 1 } },
    );
    expect(commands).toEqual([]);
    expect((await second.append(status('TASK_STATE_WORKING'))).outcome).toBe('turn');
    expect((await run.append(status('TASK_STATE_WORKING'))).outcome).toBe('recorded');
  });

  test('A15 a message to AUTH_REQUIRED asks for no turn', async () => {
    const journal = await openJournal();
    const run = await startRun(journal, CONTEXT);
    await run.append(status('TASK_STATE_AUTH_REQUIRED', 'log in'));
    const sent = await journal.acceptFollowUp(followUp(run.taskId));
    expect(sent).toMatchObject({
      state: 'TASK_STATE_AUTH_REQUIRED',
      commands: [{ delivery: { turn: false } }],
    });
    expect(await startTurn(journal, await startRun(journal, CONTEXT))).toBe(true);
    expect((await run.append(status('TASK_STATE_WORKING'))).outcome).toBe('turn');
  });

  test('A13 a message to a WORKING task goes with its turn', async () => {
    const journal = await openJournal();
    const run = await startRun(journal, CONTEXT);
    await run.append(status('TASK_STATE_WORKING'));
    const sent = await journal.acceptFollowUp(followUp(run.taskId));
    expect(sent.commands).toMatchObject([{ delivery: { turn: true } }]);
  });

  test('A13 A16 who ends while waiting leaves the queue, who ends with the turn passes it on', async () => {
    const journal = await openJournal();
    const runs = [];
    for (let i = 0; i < 4; i++) runs.push(await startRun(journal, CONTEXT));
    const [first, second, third, fourth] = runs as [Run, Run, Run, Run];
    expect(turnsIn((await second.append(status('TASK_STATE_CANCELED'))).commands)).toEqual([]);
    expect((await journal.readAny(second.taskId))?.waitingForTurn).toBe(false);
    const closed = await journal.closeTask(first.taskId, 'TASK_STATE_FAILED', 'lost');
    expect(turnsIn(closed.commands)).toEqual([third.taskId]);
    const canceled = await journal.closeTask(third.taskId, 'TASK_STATE_CANCELED');
    expect(turnsIn(canceled.commands)).toEqual([fourth.taskId]);
  });

  test('A13 REJECTED, CANCELED and FAILED need no turn', async () => {
    const journal = await openJournal();
    await startRun(journal, CONTEXT);
    for (const state of ['TASK_STATE_REJECTED', 'TASK_STATE_CANCELED', 'TASK_STATE_FAILED'] as const) {
      const run = await startRun(journal, CONTEXT);
      expect((await run.append(status(state))).outcome).toBe('recorded');
    }
  });

  test('A13 a hundred tasks of one context, sent and run at once, never work at the same time', async () => {
    const journal = await openJournal();
    let working = 0;
    const order: string[] = [];
    const runs = new Map<string, Run>();
    const work = async (run: Run): Promise<void> => {
      const { outcome } = await run.append(status('TASK_STATE_WORKING'));
      if (outcome === 'turn') return;
      order.push(run.taskId);
      expect(++working).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      working -= 1;
      const { commands } = await run.append(status('TASK_STATE_COMPLETED'));
      for (const taskId of turnsIn(commands)) await work(runs.get(taskId)!);
    };
    const sent = Array.from({ length: 100 }, () => newTask(CONTEXT));
    for (const { taskId } of sent) runs.set(taskId, new Run(journal, taskId));
    await Promise.all(sent.map((input) => journal.accept(input)));
    await Promise.all([...runs.values()].reverse().map(work));
    expect(order).toEqual(sent.map(({ taskId }) => taskId));
  });
});

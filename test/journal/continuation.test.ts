import { describe, expect, test } from 'vitest';
import type { A2AError } from '../../core/errors.js';
import type { Continuation, NewTask } from '../../core/journal.js';
import { followUp, newTask, openJournal, Run, SCOPE, startRun, status, userMessage } from './support.js';

const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'accepted',
    (error: unknown) => (error as A2AError).code,
  );

describe('ids by the caller’s choice', () => {
  const named = (alias: string, more: Partial<NewTask> = {}) =>
    newTask({ continues: { kind: 'alias', alias }, ...more });

  test('D03 the first send with an id begins a task, later ones go to that task', async () => {
    const journal = await openJournal();
    const first = await journal.accept(named('mine'));
    expect(first.commands).toMatchObject([{ kind: 'start' }]);
    const second = await journal.accept(named('mine'));
    expect(second).toMatchObject({ taskId: first.taskId, contextId: first.contextId, duplicate: false });
    expect(second.commands).toMatchObject([{ kind: 'message' }]);
    expect(await journal.resolveAlias(SCOPE, 'mine')).toBe(first.taskId);
    expect(await journal.aliasOf(first.taskId)).toBe('mine');
    expect((await journal.readAny(first.taskId))?.task.history).toHaveLength(2);
  });

  test('D03 X37 of sends that come at once with a new id exactly one begins a task', async () => {
    const journal = await openJournal();
    const sends = await Promise.all(Array.from({ length: 20 }, () => journal.accept(named('race'))));
    expect(new Set(sends.map(({ taskId }) => taskId)).size).toBe(1);
    expect(sends.flatMap(({ commands }) => commands).filter(({ kind }) => kind === 'start')).toHaveLength(1);
    expect((await journal.list({ scope: SCOPE, pageSize: 10, includeArtifacts: false })).totalSize).toBe(1);
  });

  test('D03 F06 the same id of another caller, tenant or agent is another task', async () => {
    const journal = await openJournal();
    const ids = new Set<string>();
    for (const scope of [
      SCOPE,
      { ...SCOPE, owner: 'bob' },
      { ...SCOPE, tenant: 'acme' },
      { ...SCOPE, agent: 'b' },
    ]) {
      const { tenant, owner, agent } = scope;
      const { taskId } = await journal.accept(named('1', { caller: { tenant, owner }, agent }));
      expect(await journal.resolveAlias(scope, '1')).toBe(taskId);
      ids.add(taskId);
    }
    expect(ids.size).toBe(4);
  });

  test('D06 the server’s own id names the task, too; a foreign one is only a new name', async () => {
    const journal = await openJournal();
    const { taskId } = await journal.accept(newTask());
    expect(await journal.accept(named(taskId))).toMatchObject({ taskId });
    expect(await journal.aliasOf(taskId)).toBeUndefined();
    const other = await journal.accept(named(taskId, { caller: { tenant: '', owner: 'bob' } }));
    expect(other.taskId).not.toBe(taskId);
    expect((await journal.readAny(taskId))?.task.history).toHaveLength(2);
  });

  test('D03 A08 A09 an ended task and another context refuse, and nothing is written', async () => {
    const journal = await openJournal();
    const run = await startRun(journal, { continues: { kind: 'alias', alias: 'mine' } });
    expect(
      await refusal(journal.accept(named('mine', { message: userMessage('x', { contextId: 'other' }) }))),
    ).toBe('INVALID_PARAMS');
    await run.append(status('TASK_STATE_COMPLETED'));
    const before = await journal.readAny(run.taskId);
    expect(await refusal(journal.accept(named('mine')))).toBe('UNSUPPORTED_OPERATION');
    expect(await journal.readAny(run.taskId)).toEqual(before);
  });

  test('D03 A20 an idempotency key repeats the send to this id and none to another', async () => {
    const journal = await openJournal();
    const idempotencyKey = 'k';
    const message = userMessage('once');
    const first = await journal.accept(named('a', { idempotencyKey, message }));
    const again = { idempotencyKey, message: { ...message, messageId: 'another' } };
    expect(await journal.accept(named('a', again))).toMatchObject({ taskId: first.taskId, duplicate: true });
    expect(await refusal(journal.accept(named('b', again)))).toBe('INVALID_PARAMS');
    expect(await journal.resolveAlias(SCOPE, 'b')).toBeUndefined();
    expect((await journal.readAny(first.taskId))?.task.history).toHaveLength(1);
  });

  test('D03 retention removes the id with its task, and the id is free again', async () => {
    const journal = await openJournal({ keepTasks: 0, keepEvents: 0 });
    const run = await startRun(journal, { continues: { kind: 'alias', alias: 'mine' } });
    await run.append(status('TASK_STATE_COMPLETED'));
    await journal.sweep(new Date(Date.now() + 60_000));
    expect(await journal.resolveAlias(SCOPE, 'mine')).toBeUndefined();
    expect((await journal.accept(named('mine'))).commands).toMatchObject([{ kind: 'start' }]);
  });
});

describe('the question of a context', () => {
  const continues: Continuation = { kind: 'question' };
  const contextId = 'ctx.one';
  const plain = (more: Partial<NewTask> = {}) =>
    newTask({ continues, contextId, message: userMessage('an answer', { contextId }), ...more });

  async function asking(journal: Awaited<ReturnType<typeof openJournal>>, more: Partial<NewTask> = {}) {
    const run = await startRun(journal, { contextId, ...more });
    await run.append(status('TASK_STATE_INPUT_REQUIRED', 'Which city?'));
    return run;
  }

  test('D04 a plain message answers the newest question, where there is none it begins a task', async () => {
    const journal = await openJournal();
    expect((await journal.accept(plain({ contextId: 'ctx.empty' }))).commands[0]?.kind).toBe('start');
    await asking(journal);
    const newest = await asking(journal);
    const answer = await journal.accept(plain());
    expect(answer).toMatchObject({ taskId: newest.taskId, contextId });
    expect(answer.commands).toMatchObject([{ kind: 'message' }]);
  });

  test('D04 a question is answered once, also while no worker has taken the answer up', async () => {
    const journal = await openJournal();
    const run = await asking(journal);
    const sends = await Promise.all(Array.from({ length: 10 }, () => journal.accept(plain())));
    expect(sends.filter(({ taskId }) => taskId === run.taskId)).toHaveLength(1);
    expect(sends.flatMap(({ commands }) => commands).filter(({ kind }) => kind === 'start')).toHaveLength(9);
    // Asked again, it waits again.
    await run.append(status('TASK_STATE_WORKING'), status('TASK_STATE_INPUT_REQUIRED', 'Really?'));
    expect((await journal.accept(plain())).taskId).toBe(run.taskId);
  });

  test('D04 A20 the same message again is the same answer, also when the task has moved on', async () => {
    const journal = await openJournal();
    const run = await asking(journal);
    const message = userMessage('Paris', { contextId });
    expect((await journal.accept(plain({ message }))).taskId).toBe(run.taskId);
    for (const state of ['TASK_STATE_WORKING', 'TASK_STATE_COMPLETED'] as const) {
      await run.append(status(state));
      expect(await journal.accept(plain({ message }))).toMatchObject({
        taskId: run.taskId,
        duplicate: true,
        commands: [],
      });
    }
    expect((await journal.readAny(run.taskId))?.task.history).toHaveLength(3);
  });

  test('D04 the message that began the task, sent again, does not answer its question', async () => {
    const journal = await openJournal();
    const message = userMessage('hello', { contextId });
    const { taskId } = await journal.accept(plain({ message }));
    await new Run(journal, taskId).append(status('TASK_STATE_INPUT_REQUIRED', 'Which city?'));
    expect(await journal.accept(plain({ message }))).toMatchObject({ taskId, duplicate: true });
    expect((await journal.readAny(taskId))?.task.history).toHaveLength(2);
  });

  test('D04 F06 only this caller’s task with this agent counts, and only one that waits for input', async () => {
    const journal = await openJournal();
    await asking(journal, { caller: { tenant: '', owner: 'bob' } });
    await asking(journal, { caller: { tenant: 'acme', owner: SCOPE.owner } });
    await asking(journal, { agent: 'another' });
    await asking(journal, { contextId: 'ctx.two' });
    const answered = await asking(journal);
    await journal.acceptFollowUp(followUp(answered.taskId));
    const paused = await startRun(journal, { contextId });
    await paused.append(status('TASK_STATE_AUTH_REQUIRED'));
    expect((await journal.accept(plain())).commands[0]?.kind).toBe('start');
  });
});

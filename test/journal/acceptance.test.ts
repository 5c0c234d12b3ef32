import { describe, expect, test } from 'vitest';
import type { A2AError } from '../../core/errors.js';
import type { AcceptedSend } from '../../core/journal.js';
import type { TaskState } from '../../core/task.js';
import type { SqlJournal } from '../../journal/index.js';
import {
  allEvents,
  followUp,
  newTask,
  openJournal,
  Run,
  SCOPE,
  startRun,
  status,
  testClock,
  userMessage,
  words,
} from './support.js';

async function refusal(work: Promise<unknown>): Promise<Pick<A2AError, 'code' | 'violations'>> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  const { code, violations } = error as A2AError;
  return { code, violations };
}

async function everything(journal: SqlJournal, taskId: string): Promise<unknown> {
  return [await journal.readAny(taskId), await allEvents(journal, taskId)];
}

describe('acceptance', () => {
  test('A02 an accepted task is there: row, event 1, history with its time, start command', async () => {
    const clock = testClock();
    const journal = await openJournal({ now: clock.now });
    const input = newTask({
      message: userMessage('hi', { metadata: { lang: 'en' } }),
      options: { historyLength: 3, metadata: { trace: 'x' } },
    });
    const accepted = await journal.accept(input);
    const message = {
      ...input.message,
      taskId: input.taskId,
      contextId: input.contextId,
      metadata: { lang: 'en', $timestamp: '2026-03-01T12:00:00.000Z' },
    };
    const start = {
      taskId: input.taskId,
      contextId: input.contextId,
      caller: input.caller,
      agent: 'hello',
      message,
      options: input.options,
      visible: true,
      turn: true,
    };
    const commands = [{ id: expect.any(Number), taskId: input.taskId, kind: 'start', start }];
    expect(accepted).toEqual({
      taskId: input.taskId,
      contextId: input.contextId,
      seq: 1,
      state: 'TASK_STATE_SUBMITTED',
      duplicate: false,
      visible: true,
      commands,
    });
    const task = {
      id: input.taskId,
      contextId: input.contextId,
      status: { state: 'TASK_STATE_SUBMITTED', timestamp: '2026-03-01T12:00:00.000Z' },
      history: [message],
    };
    expect(await journal.read(SCOPE, input.taskId)).toEqual({
      task,
      lastSeq: 1,
      agent: 'hello',
      caller: input.caller,
      visible: true,
      waitingForTurn: false,
      floorSeq: 0,
    });
    expect(await allEvents(journal, input.taskId)).toEqual([
      { taskId: input.taskId, seq: 1, event: { task } },
    ]);
    expect(await journal.pendingCommands(new Date(clock.now() + 1), 10)).toEqual(commands);
  });

  test('F03 a command stays in the outbox until it is done', async () => {
    const clock = testClock();
    const journal = await openJournal({ now: clock.now });
    const first = await journal.accept(newTask());
    clock.advance(1_000);
    const second = await journal.accept(newTask());
    const [start] = first.commands;
    expect(await journal.pendingCommands(new Date(clock.now()), 10)).toEqual([start]);
    expect(await journal.pendingCommands(new Date(clock.now() + 1), 10)).toEqual([start, ...second.commands]);
    await journal.commandDone(start!.id);
    expect(await journal.pendingCommands(new Date(clock.now() + 1), 10)).toEqual(second.commands);
    const open = await journal.openTasks(new Date(clock.now() + 1), 10);
    expect(open).toEqual([
      { taskId: first.taskId, state: 'TASK_STATE_SUBMITTED', started: true },
      { taskId: second.taskId, state: 'TASK_STATE_SUBMITTED', started: false },
    ]);
    expect(await journal.openTasks(new Date(clock.now()), 10)).toHaveLength(1);
    expect(await journal.openTasks(new Date(clock.now() + 1), 10, first.taskId)).toEqual([open[1]]);
  });

  test('A20 the same Idempotency-Key gives the earlier send, with nothing run twice', async () => {
    const journal = await openJournal();
    const input = newTask({ idempotencyKey: 'k1' });
    const first = await journal.accept(input);
    await new Run(journal, first.taskId).append(status('TASK_STATE_WORKING'));
    const again = await journal.accept({ ...newTask({ idempotencyKey: 'k1' }), message: input.message });
    expect(again).toEqual({ ...first, duplicate: true, commands: [] });
    expect((await journal.list({ scope: SCOPE, pageSize: 10, includeArtifacts: false })).totalSize).toBe(1);
  });

  test('A20 the same key with other content, another agent or as a follow-up is an error', async () => {
    const journal = await openJournal();
    const input = newTask({ idempotencyKey: 'k1' });
    const { taskId } = await journal.accept(input);
    const violations = [expect.objectContaining({ field: 'Idempotency-Key' })];
    const tries = [
      journal.accept(newTask({ idempotencyKey: 'k1', message: userMessage('other') })),
      journal.accept({ ...input, agent: 'other' }),
      journal.acceptFollowUp(
        followUp((await startRun(journal)).taskId, { idempotencyKey: 'k1', message: input.message }),
      ),
    ];
    for (const one of tries) expect(await refusal(one)).toEqual({ code: 'INVALID_PARAMS', violations });
    expect(
      (await journal.acceptFollowUp(followUp(taskId, { idempotencyKey: 'k1', message: input.message })))
        .duplicate,
    ).toBe(true);
  });

  test('A20 X37 keys belong to the caller, and without one two sends are two tasks', async () => {
    const journal = await openJournal();
    const input = newTask({ idempotencyKey: 'k1' });
    await journal.accept(input);
    const others = [
      newTask({ idempotencyKey: 'k1', message: input.message, caller: { tenant: '', owner: 'bob' } }),
      newTask({ idempotencyKey: 'k1', message: input.message, caller: { tenant: 't', owner: 'anonymous' } }),
      newTask({ message: input.message }),
      newTask({ message: input.message }),
    ];
    for (const other of others) {
      const { taskId, duplicate } = await journal.accept(other);
      expect([taskId, duplicate]).toEqual([other.taskId, false]);
    }
  });

  test('A20 X37 twenty sends with one key at once are one task', async () => {
    const journal = await openJournal();
    const message = userMessage();
    const sends = await Promise.all(
      Array.from({ length: 20 }, () => journal.accept(newTask({ idempotencyKey: 'k', message }))),
    );
    expect(new Set(sends.map(({ taskId }) => taskId)).size).toBe(1);
    expect(sends.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
  });

  test('A20 X37 a follow-up that comes again is taken once, also after the task has ended', async () => {
    const journal = await openJournal();
    const run = await startRun(journal);
    await run.append(status('TASK_STATE_WORKING'));
    const send = followUp(run.taskId);
    const sends = await Promise.all([send, send, send].map((one) => journal.acceptFollowUp(one)));
    const [first, ...others] = sends as [AcceptedSend, ...AcceptedSend[]];
    expect(first).toMatchObject({ duplicate: false, seq: 2, state: 'TASK_STATE_WORKING' });
    expect(others).toEqual(Array(2).fill({ ...first, duplicate: true, commands: [] }));
    await run.append(status('TASK_STATE_COMPLETED'));
    const before = await everything(journal, run.taskId);
    expect(await journal.acceptFollowUp(send)).toEqual({ ...first, duplicate: true, commands: [] });
    expect(await everything(journal, run.taskId)).toEqual(before);
    expect((await journal.readAny(run.taskId))?.task.history).toHaveLength(2);
  });

  test('A20 the same messageId with other content is another message', async () => {
    const journal = await openJournal();
    const run = await startRun(journal);
    await journal.acceptFollowUp(
      followUp(run.taskId, { message: { ...userMessage('one'), messageId: 'm' } }),
    );
    const second = await journal.acceptFollowUp(
      followUp(run.taskId, { message: { ...userMessage('two'), messageId: 'm' } }),
    );
    expect(second.duplicate).toBe(false);
  });

  test('A08 a message to a terminal task is refused and changes nothing', async () => {
    const journal = await openJournal();
    for (const end of ['COMPLETED', 'FAILED', 'CANCELED', 'REJECTED'] as const) {
      const run = await startRun(journal);
      await run.append(status(`TASK_STATE_${end}` as TaskState));
      const before = await everything(journal, run.taskId);
      expect((await refusal(journal.acceptFollowUp(followUp(run.taskId)))).code).toBe(
        'UNSUPPORTED_OPERATION',
      );
      expect(await everything(journal, run.taskId)).toEqual(before);
    }
  });

  test('X20 an unknown, foreign or hidden task id is not found, and nothing is stored', async () => {
    const journal = await openJournal();
    const { taskId } = await journal.accept(newTask());
    const hidden = await journal.accept(newTask({ visible: false }));
    const foreign = [
      { ...SCOPE, owner: 'bob' },
      { ...SCOPE, tenant: 't' },
      { ...SCOPE, agent: 'other' },
    ];
    const tries = [
      followUp('00000000-aaaa-bbbb-cccc-000000000001'),
      followUp(hidden.taskId),
      ...foreign.map((scope) => followUp(taskId, { scope })),
    ];
    const before = await everything(journal, taskId);
    for (const one of tries) {
      expect((await refusal(journal.acceptFollowUp(one))).code).toBe('TASK_NOT_FOUND');
      expect((await refusal(journal.requestCancel(one.scope, one.taskId))).code).toBe('TASK_NOT_FOUND');
      expect(await journal.read(one.scope, one.taskId)).toBeUndefined();
    }
    expect(await everything(journal, taskId)).toEqual(before);
    const { totalSize } = await journal.list({ scope: SCOPE, pageSize: 10, includeArtifacts: false });
    expect(totalSize).toBe(1);
  });

  test('X21 A09 another contextId is an error and writes nothing; without one it is inferred', async () => {
    const journal = await openJournal();
    const run = await startRun(journal, { contextId: 'C1' });
    await run.append(status('TASK_STATE_INPUT_REQUIRED', 'which?'));
    const before = await everything(journal, run.taskId);
    expect(await refusal(journal.acceptFollowUp(followUp(run.taskId, { contextId: 'C2' })))).toEqual({
      code: 'INVALID_PARAMS',
      violations: [{ field: 'message.contextId', description: expect.any(String) }],
    });
    expect(await everything(journal, run.taskId)).toEqual(before);
    const accepted = await journal.acceptFollowUp(followUp(run.taskId));
    expect(accepted.contextId).toBe('C1');
    expect((await journal.accept(newTask({ contextId: 'C1' }))).taskId).not.toBe(run.taskId);
  });

  test('A09 any string is a context: quotes, unicode, newlines, 300 characters, none', async () => {
    const journal = await openJournal();
    const strings = [
      `'`,
      `"`,
      '`',
      `a' OR '1'='1`,
      'é\n\u2028日本',
      '\u0000',
      '%',
      '_',
      'x'.repeat(300),
      '',
      '__proto__',
    ];
    for (const contextId of strings) await journal.accept(newTask({ contextId }));
    for (const contextId of strings) {
      const { tasks, totalSize } = await journal.list({
        scope: SCOPE,
        contextId,
        pageSize: 10,
        includeArtifacts: false,
      });
      expect([tasks.map((task) => task.contextId), totalSize]).toEqual([[contextId], 1]);
    }
  });

  test('A14 a follow-up carries the sequence that a question must not exceed to be answered by it', async () => {
    const journal = await openJournal();
    const run = await startRun(journal);
    const { statusSeq } = await run.append(status('TASK_STATE_INPUT_REQUIRED', 'which?'));
    const { commands, seq } = await journal.acceptFollowUp(followUp(run.taskId));
    expect(commands).toMatchObject([{ kind: 'message', delivery: { afterSeq: statusSeq, turn: true } }]);
    expect(seq).toBe(statusSeq);
    const { task, lastSeq } = (await journal.readAny(run.taskId))!;
    expect(lastSeq).toBe(statusSeq);
    expect(task.history!.map(({ role }) => role)).toEqual(['ROLE_USER', 'ROLE_AGENT', 'ROLE_USER']);
  });

  test('A16 a cancel is recorded once while it is under way, and refused when the task has ended', async () => {
    const journal = await openJournal();
    const run = await startRun(journal);
    await run.append(status('TASK_STATE_WORKING'));
    const first = await journal.requestCancel(SCOPE, run.taskId);
    expect(first).toEqual({
      seq: 2,
      commands: [{ id: expect.any(Number), taskId: run.taskId, kind: 'cancel' }],
    });
    expect(await journal.requestCancel(SCOPE, run.taskId)).toEqual({ seq: 2, commands: [] });
    await run.append(status('TASK_STATE_CANCELED'));
    expect((await refusal(journal.requestCancel(SCOPE, run.taskId))).code).toBe('TASK_NOT_CANCELABLE');
  });

  test('B07 a cursor on a send finds it: by key, by task and message, by the newest of that content', async () => {
    const journal = await openJournal();
    const message = userMessage('story');
    const keyed = await journal.accept(newTask({ message, idempotencyKey: 'k' }));
    const first = await journal.accept(newTask({ message }));
    const newest = await journal.accept(newTask({ message }));
    const found = async (lookup: Parameters<SqlJournal['findSend']>[1], scope = SCOPE) =>
      (await journal.findSend(scope, lookup))?.taskId;
    expect(await found({ idempotencyKey: 'k', message })).toBe(keyed.taskId);
    expect(await found({ taskId: first.taskId, message })).toBe(first.taskId);
    expect(await found({ message })).toBe(newest.taskId);
    expect(await found({ idempotencyKey: 'nobody', message })).toBeUndefined();
    expect(await found({ message: { ...message, parts: [{ text: 'other' }] } })).toBeUndefined();
    expect(await found({ message: { ...message, messageId: 'other' } })).toBeUndefined();
    expect(await found({ message }, { ...SCOPE, owner: 'bob' })).toBeUndefined();
    expect(await found({ message }, { ...SCOPE, agent: 'other' })).toBeUndefined();
    const other = userMessage('other');
    expect((await refusal(journal.findSend(SCOPE, { idempotencyKey: 'k', message: other }))).code).toBe(
      'INVALID_PARAMS',
    );
  });
});

describe('rows behind a direct message', () => {
  test('A03 they are invisible, and stay so when the answer is the message alone', async () => {
    const journal = await openJournal();
    const run = await startRun(journal, { visible: false });
    await run.append(status('TASK_STATE_WORKING'));
    const result = await run.append({ kind: 'message', message: { parts: [{ text: '42' }] } });
    expect(result).toMatchObject({ outcome: 'recorded', state: 'TASK_STATE_COMPLETED', lastSeq: 3 });
    const stored = (await journal.readAny(run.taskId))!;
    expect(stored).toMatchObject({ visible: false, message: { parts: [{ text: '42' }] } });
    expect(words(await allEvents(journal, run.taskId))).toEqual(['task', 'WORKING', 'message']);
    expect(await journal.read(SCOPE, run.taskId)).toBeUndefined();
    const { tasks, totalSize } = await journal.list({ scope: SCOPE, pageSize: 10, includeArtifacts: false });
    expect([tasks, totalSize]).toEqual([[], 0]);
    expect(await journal.reveal(run.taskId)).toBe(false);
    expect((await run.append(status('TASK_STATE_FAILED'))).outcome).toBe('terminal');
  });

  test('A03 a revealed row is a task, and a later direct answer its artifact', async () => {
    const journal = await openJournal();
    const run = await startRun(journal, { visible: false });
    expect(await journal.reveal(run.taskId)).toBe(true);
    expect(await journal.reveal(run.taskId)).toBe(true);
    expect((await journal.read(SCOPE, run.taskId))?.task.status.state).toBe('TASK_STATE_SUBMITTED');
    expect((await journal.list({ scope: SCOPE, pageSize: 10, includeArtifacts: false })).totalSize).toBe(1);
    await run.append({ kind: 'message', message: { parts: [{ text: '42' }] } });
    const { task, message } = (await journal.read(SCOPE, run.taskId))!;
    expect(task).toMatchObject({
      status: { state: 'TASK_STATE_COMPLETED' },
      artifacts: [{ parts: [{ text: '42' }] }],
    });
    expect(message).toBeUndefined();
  });

  test('A03 anything but the message makes the row a task', async () => {
    const journal = await openJournal();
    const run = await startRun(journal, { visible: false });
    await run.append(status('TASK_STATE_INPUT_REQUIRED', 'which?'));
    expect((await journal.read(SCOPE, run.taskId))?.visible).toBe(true);
    const page = await journal.list({
      scope: SCOPE,
      status: 'TASK_STATE_INPUT_REQUIRED',
      pageSize: 10,
      includeArtifacts: false,
    });
    expect([page.tasks.length, page.totalSize]).toEqual([1, 1]);
  });

  test('A03 revealing an unknown row is false', async () => {
    expect(await (await openJournal()).reveal('task.none')).toBe(false);
  });
});

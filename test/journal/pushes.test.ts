import { expect, test } from 'vitest';
import { LIFE, registration } from '../webhooks/couriers.js';
import { followUp, newTask, openJournal, Run, SCOPE, startRun, status, testClock } from './support.js';

const RECEIVER = { url: 'https://hooks.example/a2a' };
const push = registration(RECEIVER);
const lease = (holder: string, until = Infinity) => ({ holder, until });

test('C05 an append makes a receiver due in its transaction, and says whom to wake', async () => {
  const journal = await openJournal();
  const run = await startRun(journal, { push });
  expect(await journal.duePushes(10)).toEqual([]);
  const { pushes } = await run.append(status('TASK_STATE_WORKING'));
  expect(pushes).toEqual(await journal.duePushes(10));
  const unwatched = await (await startRun(journal)).append(status('TASK_STATE_WORKING'));
  expect(unwatched).not.toHaveProperty('pushes');
});

test('C05 fragments make nobody due, and their artifact does once it is closed', async () => {
  const journal = await openJournal();
  const run = await startRun(journal, { push });
  const fragment = (n: number) => ({ taskId: run.taskId, artifactId: 'a', text: 'x', key: `s:1:${n}` });
  await journal.appendDeltas([
    { ...fragment(1), append: false },
    { ...fragment(2), append: true },
  ]);
  expect(await journal.duePushes(10)).toEqual([]);
  const { pushes } = await run.append({ kind: 'close', artifactId: 'a' });
  expect(pushes).toHaveLength(1);
  expect(await journal.duePushes(10)).toEqual(pushes);
});

test('C05 what comes while somebody delivers is theirs, and not lost', async () => {
  const journal = await openJournal();
  const run = await startRun(journal, { push });
  await run.append(status('TASK_STATE_WORKING'));
  const [pushId = ''] = await journal.duePushes(10);
  await journal.claimPush(pushId, lease('one'), 'first');
  expect(await journal.claimPush(pushId, lease('two'), 'first')).toEqual({ outcome: 'busy' });
  expect(await journal.duePushes(10)).toEqual([]);
  await run.append(status('TASK_STATE_COMPLETED'));
  expect(await journal.confirmPush(pushId, lease('one'), 2)).toMatchObject({ deliveredSeq: 2 });
  // Only who holds the lease can say anything.
  expect(await journal.confirmPush(pushId, lease('two'), 3)).toBe('over');
  expect(await journal.failPush(pushId, lease('two'), { reason: 'x' })).toEqual([]);
  expect(await journal.extendPush(pushId, lease('two'))).toBe(false);
  expect(await journal.confirmPush(pushId, lease('one'), 3)).toBe('over');
  expect(await journal.duePushes(10)).toEqual([]);
  expect(await journal.readPushProgress(SCOPE, run.taskId, 'c', 1)).toMatchObject({ deliveredSeq: 3 });
});

test('C05 A03 a direct answer tells nobody, and a task that comes to show tells all', async () => {
  const journal = await openJournal();
  const direct = await startRun(journal, { push, visible: false });
  await direct.append(status('TASK_STATE_WORKING'));
  await direct.append({ kind: 'message', message: { parts: [{ text: 'quick' }] } });
  expect(await journal.duePushes(10)).toEqual([]);
  const shown = await startRun(journal, { push, visible: false });
  await shown.append(status('TASK_STATE_WORKING'));
  await shown.append(status('TASK_STATE_WORKING', 'still at it'));
  const [pushId = ''] = await journal.duePushes(10);
  expect(await journal.claimPush(pushId, lease('h'), 'first')).toMatchObject({ deliveredSeq: 1 });
});

test('C04 F06 a config belongs to its task’s scope', async () => {
  const journal = await openJournal();
  const { taskId } = await startRun(journal, { push });
  for (const other of [
    { ...SCOPE, owner: 'bob' },
    { ...SCOPE, tenant: 't' },
    { ...SCOPE, agent: 'x' },
  ]) {
    expect(await journal.readPushConfig(other, taskId, 'c')).toBeUndefined();
    expect(await journal.readPushProgress(other, taskId, 'c', 1)).toBeUndefined();
    for (const attempt of [
      () => journal.putPushConfig(other, taskId, push),
      () => journal.deletePushConfig(other, taskId, 'c'),
      () => journal.listPushConfigs(other, taskId, { size: 1 }),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
    }
  }
  expect(await journal.readPushConfig(SCOPE, taskId)).toEqual({ id: 'c', taskId, url: RECEIVER.url });
});

test('C04 A20 a config of a refused or repeated follow-up is not made', async () => {
  const journal = await openJournal({ maxPushConfigs: 2 });
  const { taskId } = await startRun(journal, { push });
  const more = followUp(taskId, { push: { ...push, id: 'd' } });
  await journal.acceptFollowUp(more);
  await journal.acceptFollowUp({ ...more, push: { ...push, id: 'e' } });
  const ids = async () =>
    (await journal.listPushConfigs(SCOPE, taskId, { size: 10 })).configs.map(({ id }) => id);
  expect(await ids()).toEqual(['c', 'd']);
  const tooMany = journal.acceptFollowUp(followUp(taskId, { push: { ...push, id: 'e' } }));
  await expect(tooMany).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
  // Nothing of it was written, the message neither.
  expect((await journal.read(SCOPE, taskId))?.task.history).toHaveLength(2);
});

test('C04 retention takes configs with their task', async () => {
  const clock = testClock();
  const journal = await openJournal({ keepTasks: 1_000, now: clock.now });
  const run = new Run(journal, (await journal.accept(newTask({ push }))).taskId);
  const { pushes: [pushId = ''] = [] } = await run.append(...LIFE);
  await journal.sweep(new Date(clock.advance(2_000)));
  expect(await journal.duePushes(10)).toEqual([]);
  expect(await journal.claimPush(pushId, lease('h'), 'first')).toEqual({ outcome: 'over' });
});

test('C05 X32 the task as it was after any of its events', async () => {
  const journal = await openJournal();
  const run = await startRun(journal);
  await run.append(...LIFE.slice(0, 2));
  await journal.acceptFollowUp(followUp(run.taskId));
  await run.append(status('TASK_STATE_COMPLETED', 'bye'));
  const now = await journal.readAny(run.taskId);
  const states = [];
  for (let seq = 1; seq <= 4; seq += 1) {
    const task = (await journal.readTaskAt(run.taskId, seq))!;
    states.push([
      task.status.state.replace('TASK_STATE_', ''),
      task.history?.length,
      task.artifacts?.length ?? 0,
    ]);
  }
  expect(states).toEqual([
    ['SUBMITTED', 1, 0],
    ['WORKING', 1, 0],
    ['WORKING', 2, 1],
    ['COMPLETED', 3, 1],
  ]);
  expect(await journal.readTaskAt(run.taskId, 4)).toEqual(now?.task);
});

import { describe, expect, test } from 'vitest';
import type { SqlJournal } from '../../journal/index.js';
import { withMethods } from '../api/test-api.js';
import { openJournal, type Run, SCOPE, status, testClock } from '../journal/support.js';
import { answer, hang, type Receiver } from '../support/receiver.js';
import {
  LIFE,
  openCourier,
  publish,
  pushIdOf,
  registration,
  startReceiver,
  type TestCourier,
  watchedRun,
} from './couriers.js';

const progress = (journal: SqlJournal, run: Run, id = 'c') =>
  journal.readPushProgress(SCOPE, run.taskId, id, 100);

/** A journal and a courier in a time that moves when it is told to. */
async function inVirtualTime() {
  const clock = testClock();
  const journal = await openJournal({ now: clock.now });
  return { clock, journal, courier: openCourier(journal, { clock: clock.now }) };
}

/** Publishes a whole life to a receiver, and waits until the first attempt has failed. */
async function failedLife(journal: SqlJournal, courier: TestCourier, receiver: Receiver) {
  const run = await watchedRun(journal, receiver);
  await publish(courier, run, ...LIFE);
  await expect.poll(async () => (await progress(journal, run))?.attempts).toBe(1);
  return { run, pushId: await pushIdOf(journal, run) };
}

describe('a receiver that fails is tried again', () => {
  test('X31 C05 two 500s, then 200: in order, repeats under the same id, Temporal told once', async () => {
    const { clock, journal, courier } = await inVirtualTime();
    const receiver = await startReceiver((one, response, count) => {
      if (count <= 2) answer(500)(one, response, count);
    });
    const { run, pushId } = await failedLife(journal, courier, receiver);
    expect(courier.commands).toMatchObject([{ kind: 'retryPush', taskId: run.taskId, pushId }]);
    expect(await progress(journal, run)).toMatchObject({
      state: 'retrying',
      lastError: 'HTTP 500',
      undelivered: [{ seq: 2 }, { seq: 3 }, { seq: 4 }],
    });

    // Whoever comes too early is told when to come, and nothing hurries it.
    courier.courier.wake([pushId]);
    const [early] = await courier.retry(pushId, 1);
    expect(early?.afterMillis).toBeGreaterThan(800);
    expect(receiver.received).toHaveLength(1);

    const outcomes = await courier.retry(pushId, Infinity, clock.advance);
    expect(outcomes.at(-1)).toEqual({});
    expect(receiver.words()).toEqual(['WORKING', 'WORKING', 'WORKING', 'answer', 'COMPLETED']);
    expect(new Set(receiver.ids()).size).toBe(3);
    expect(courier.commands).toHaveLength(1);
    expect(await progress(journal, run)).toMatchObject({ state: 'active', attempts: 0, deliveredSeq: 4 });
  });

  test('C05 down for an hour: nothing lost, in order, without haste', async () => {
    const { clock, journal, courier } = await inVirtualTime();
    const up = clock.now() + 3_600_000;
    const receiver = await startReceiver((one, response, count) => {
      if (clock.now() < up) answer(503)(one, response, count);
    });
    const { pushId } = await failedLife(journal, courier, receiver);
    const outcomes = await courier.retry(pushId, Infinity, clock.advance);
    expect(receiver.words().slice(-3)).toEqual(['WORKING', 'answer', 'COMPLETED']);
    // Doubling pauses from a second on.
    expect(outcomes.length).toBeLessThan(16);
    expect(new Set(receiver.ids()).size).toBe(3);
  });

  test('C05 Retry-After is respected, in seconds and as a date, up to the longest pause', async () => {
    const cases = [
      { header: '120', from: 120_000, to: 120_000 },
      { header: new Date(Date.now() + 300_000).toUTCString(), from: 290_000, to: 300_000 },
      { header: '999999', from: 3_600_000, to: 3_600_000 },
      { header: 'soon', from: 900, to: 1_100 },
    ];
    for (const { header, from, to } of cases) {
      const { journal, courier } = await inVirtualTime();
      const receiver = await startReceiver(answer(429, { 'retry-after': header }));
      const { pushId } = await failedLife(journal, courier, receiver);
      const [{ afterMillis = 0 } = {}] = await courier.retry(pushId, 1);
      expect(afterMillis).toBeGreaterThanOrEqual(from);
      expect(afterMillis).toBeLessThanOrEqual(to);
    }
  });

  test('X31 C05 given up after a day, with its dead letters; created again it goes on there', async () => {
    const { clock, journal, courier } = await inVirtualTime();
    const began = clock.now();
    const receiver = await startReceiver(answer(500));
    const { run, pushId } = await failedLife(journal, courier, receiver);
    await courier.retry(pushId, Infinity, clock.advance);
    expect(clock.now() - began).toBeGreaterThanOrEqual(24 * 3_600_000);
    expect(clock.now() - began).toBeLessThan(26 * 3_600_000);
    expect(receiver.received.length).toBeLessThan(50);
    const dead = await progress(journal, run);
    expect(dead).toMatchObject({
      state: 'dead',
      lastError: 'HTTP 500',
      undelivered: [{ seq: 2 }, { seq: 3 }, { seq: 4 }],
    });
    expect(dead).not.toHaveProperty('nextAttemptAt');
    expect(courier.warnings).toMatchObject([{ fields: { pushId, reason: 'HTTP 500' } }]);
    // Neither wake nor retry revives it.
    const before = receiver.received.length;
    courier.courier.wake([pushId]);
    expect(await courier.retry(pushId)).toEqual([{}]);
    expect(receiver.received).toHaveLength(before);

    const healed = await startReceiver();
    await journal.putPushConfig(SCOPE, run.taskId, registration(healed));
    courier.courier.start();
    await expect.poll(() => healed.words()).toEqual(['WORKING', 'answer', 'COMPLETED']);
  });

  test('X31 410 ends it at once', async () => {
    const { journal, courier } = await inVirtualTime();
    const receiver = await startReceiver(answer(410));
    const { run } = await failedLife(journal, courier, receiver);
    expect(await progress(journal, run)).toMatchObject({ state: 'dead', lastError: 'HTTP 410' });
    expect(courier.commands).toEqual([]);
  });

  test('X31 X17 a redirect is a failure, and nobody follows it', async () => {
    const { journal, courier } = await inVirtualTime();
    const inside = await startReceiver();
    const receiver = await startReceiver(answer(302, { location: inside.url }));
    const { run } = await failedLife(journal, courier, receiver);
    expect((await progress(journal, run))?.lastError).toBe('HTTP 302: redirects are not followed');
    expect(inside.received).toEqual([]);
  });

  test('X31 C05 one that never answers has failed in time, and holds up no other', async () => {
    const journal = await openJournal();
    const courier = openCourier(journal, { timeout: 300 });
    const [stuck, well] = [await startReceiver(hang), await startReceiver()];
    const run = await watchedRun(journal, stuck, { id: 'stuck' });
    await journal.putPushConfig(SCOPE, run.taskId, registration(well, { id: 'well' }));
    const others = await Promise.all(Array.from({ length: 50 }, () => watchedRun(journal, stuck)));
    for (const other of others) await publish(courier, other, status('TASK_STATE_WORKING'));
    const began = performance.now();
    await publish(courier, run, ...LIFE);
    await expect.poll(() => well.words(), { interval: 5 }).toEqual(['WORKING', 'answer', 'COMPLETED']);
    expect(performance.now() - began).toBeLessThan(250);
    await expect
      .poll(() => progress(journal, run, 'stuck'))
      .toMatchObject({ state: 'retrying', lastError: 'no answer within 0.3 s' });
    expect(stuck.received.length).toBeGreaterThan(40);
  });

  test('C05 a retry whose workflow was lost is started once more, and only once', async () => {
    const { clock, journal, courier } = await inVirtualTime();
    const { pushId } = await failedLife(journal, courier, await startReceiver(answer(500)));
    for (const command of courier.commands.splice(0)) await journal.commandDone(command.id);
    const overdue = () => journal.restartPushes(new Date(clock.now() - 120_000));
    expect(await overdue()).toEqual([]);
    clock.advance(180_000);
    const commands = await overdue();
    expect(commands).toMatchObject([{ kind: 'retryPush', pushId }]);
    // It waits in the outbox for Temporal to come back.
    clock.advance(180_000);
    expect(await overdue()).toEqual([]);
    expect(await journal.pendingCommands(new Date(clock.now()), 10)).toContainEqual(commands[0]);
  });
});

describe('X31 deletion', () => {
  test('X31 C04 nothing new after it, neither due nor waiting to be tried again', async () => {
    const { clock, journal, courier } = await inVirtualTime();
    const receiver = await startReceiver(answer(500));
    const { run, pushId } = await failedLife(journal, courier, receiver);
    const commands = await journal.deletePushConfig(SCOPE, run.taskId, 'c');
    // Whoever waits is woken, to see that there is nothing left to do.
    expect(commands).toMatchObject([{ kind: 'wakePush', pushId }]);
    expect(await journal.deletePushConfig(SCOPE, run.taskId, 'c')).toEqual([]);
    clock.advance(3_600_000);
    expect(await courier.retry(pushId)).toEqual([{}]);
    expect(receiver.received).toHaveLength(1);
  });

  test('X31 in the middle of a backlog it stops behind the delivery that is under way', async () => {
    const journal = await openJournal();
    const courier = openCourier(journal);
    let release: () => void = () => undefined;
    const deleted = new Promise<void>((resolve) => (release = resolve));
    const receiver = await startReceiver((one, response, count) => {
      if (count !== 3) return;
      hang(one, response, count);
      void deleted.then(() => response.writeHead(200).end());
    });
    const run = await watchedRun(journal, receiver);
    await publish(
      courier,
      run,
      ...Array.from({ length: 20 }, (_, n) => status('TASK_STATE_WORKING', `${n}`)),
    );
    await expect.poll(() => receiver.received.length).toBe(3);
    await journal.deletePushConfig(SCOPE, run.taskId, 'c');
    release();
    await courier.courier.close();
    expect(receiver.received).toHaveLength(3);
  });

  test('X31 a delivery to a receiver that hangs is cut off', async () => {
    const journal = await openJournal();
    const courier = openCourier(journal, { timeout: 60_000 });
    let closed = false;
    const receiver = await startReceiver((one, response, count) => {
      hang(one, response, count);
      response.on('close', () => (closed = true));
    });
    const run = await watchedRun(journal, receiver);
    await publish(courier, run, status('TASK_STATE_WORKING'));
    await expect.poll(() => receiver.received.length).toBe(1);
    await journal.deletePushConfig(SCOPE, run.taskId, 'c');
    await expect.poll(() => closed, { timeout: 5_000 }).toBe(true);
  });
});

describe('F03 C05 whoever delivers may die', () => {
  test('F03 X31 between the answer and its record: one repeat, under the same id', async () => {
    const clock = testClock();
    const journal = await openJournal({ now: clock.now });
    const receiver = await startReceiver();
    // The first one dies: what it has to record after the second delivery never arrives.
    let confirmed = 0;
    const dying = withMethods(journal, {
      confirmPush: (...given) =>
        ++confirmed > 1 ? new Promise(() => undefined) : journal.confirmPush(...given),
      extendPush: () => new Promise(() => undefined),
      yieldPush: () => Promise.resolve(),
    });
    const run = await watchedRun(journal, receiver);
    const { pushes = [] } = await run.append(...LIFE);
    const first = openCourier(journal, { journal: dying, clock: clock.now });
    first.courier.wake(pushes);
    await expect.poll(() => receiver.received.length).toBe(2);

    const second = openCourier(journal, { clock: clock.now });
    second.courier.wake(pushes);
    // Its lease holds for five seconds.
    expect(await journal.claimPush(pushes[0]!, { holder: 'x', until: 0 }, 'first')).toEqual({
      outcome: 'busy',
    });
    clock.advance(5_001);
    second.courier.wake(await journal.duePushes(10));
    await expect.poll(() => receiver.words()).toEqual(['WORKING', 'answer', 'answer', 'COMPLETED']);
    expect(new Set(receiver.ids()).size).toBe(3);
    await expect.poll(() => journal.duePushes(10)).toEqual([]);
    // What the dead one left unfinished would hold the test up.
    first.courier.close = () => Promise.resolve();
  });

  test('F09 a courier that closes lets go, and the next one goes on', async () => {
    const journal = await openJournal();
    const receiver = await startReceiver(hang);
    const first = openCourier(journal, { timeout: 60_000 });
    const run = await watchedRun(journal, receiver);
    await publish(first, run, status('TASK_STATE_WORKING'));
    await expect.poll(() => receiver.received.length).toBe(1);
    const began = performance.now();
    await first.courier.close();
    expect(performance.now() - began).toBeLessThan(1_000);
    expect(await progress(journal, run)).toMatchObject({ state: 'active', attempts: 0 });
    receiver.behaviour = () => undefined;
    openCourier(journal).courier.start();
    await expect.poll(() => receiver.words()).toEqual(['WORKING', 'WORKING']);
  });

  test('C05 two that try at once: one delivers', async () => {
    const journal = await openJournal();
    const receiver = await startReceiver();
    const couriers = [openCourier(journal), openCourier(journal)];
    const run = await watchedRun(journal, receiver);
    const many = Array.from({ length: 100 }, (_, n) => status('TASK_STATE_WORKING', `${n}`));
    const { pushes = [] } = await run.append(...many);
    for (const { courier } of couriers) courier.wake(pushes);
    await expect.poll(() => receiver.received.length).toBe(100);
    await Promise.all(couriers.map(({ courier }) => courier.close()));
    expect(receiver.received).toHaveLength(100);
  });
});

test('C05 1,000 events while they are delivered: in order, each once', async () => {
  const journal = await openJournal();
  const receiver = await startReceiver();
  const courier = openCourier(journal);
  const run = await watchedRun(journal, receiver);
  for (let n = 0; n < 1_000; n += 5) {
    await publish(
      courier,
      run,
      ...Array.from({ length: 5 }, (_, i) => status('TASK_STATE_WORKING', `${n + i}`)),
    );
  }
  await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(1_000);
  const told = receiver.received.map(({ body }) => /"text":"(\d+)"/.exec(body)?.[1]);
  expect(told).toEqual(Array.from({ length: 1_000 }, (_, n) => String(n)));
  expect(new Set(receiver.ids()).size).toBe(1_000);
});

import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Task } from '../../core/task.js';
import { openJournal, SCOPE, startRun, status, testClock } from '../journal/support.js';
import { answer } from '../support/receiver.js';
import { LIFE, openCourier, publish, pushIdOf, registration, startReceiver, watchedRun } from './couriers.js';

describe('what a receiver gets', () => {
  test('C05 every status and closed artifact, in order, each once', async () => {
    const [journal, receiver] = [await openJournal(), await startReceiver()];
    const courier = openCourier(journal);
    const run = await watchedRun(journal, receiver);
    await publish(courier, run, status('TASK_STATE_WORKING', 'on it'));
    await journal.appendDeltas([
      { taskId: run.taskId, key: 's:1:1', artifactId: 'a', append: false, text: 'ans' },
      { taskId: run.taskId, key: 's:1:2', artifactId: 'a', append: true, text: 'wer' },
    ]);
    await publish(courier, run, { kind: 'close', artifactId: 'a' });
    await publish(courier, run, status('TASK_STATE_COMPLETED'));
    await expect.poll(() => receiver.words()).toEqual(['WORKING', 'answer', 'COMPLETED']);
    expect(new Set(receiver.ids()).size).toBe(3);
    const [first] = receiver.received;
    expect(first?.headers).toMatchObject({ 'content-type': 'application/a2a+json' });
    expect(JSON.parse(first!.body)).toMatchObject({
      statusUpdate: { taskId: run.taskId, status: { message: { parts: [{ text: 'on it' }] } } },
    });
    await expect
      .poll(() => journal.readPushProgress(SCOPE, run.taskId, 'c', 10))
      .toMatchObject({ state: 'active', deliveredSeq: 6, attempts: 0, undelivered: [] });
    expect(courier.commands).toEqual([]);
  });

  test('C05 D06 X32 before 1.0 the whole task, as it was after each event', async () => {
    const [journal, receiver] = [await openJournal(), await startReceiver()];
    const courier = openCourier(journal);
    const run = await watchedRun(journal, receiver, { dialect: 'v03' });
    await publish(courier, run, ...LIFE);
    await expect.poll(() => receiver.received.length).toBe(3);
    const tasks = receiver.received.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
    expect(tasks).toMatchObject([
      { kind: 'task', id: run.taskId, status: { state: 'working' } },
      { kind: 'task', status: { state: 'working' }, artifacts: [{ parts: [{ text: 'answer' }] }] },
      { kind: 'task', status: { state: 'completed' }, history: [{ role: 'user' }] },
    ]);
    expect(tasks[0]).not.toHaveProperty('artifacts');
    expect(receiver.received[0]?.headers['content-type']).toBe('application/json');
  });

  test('X29 C05 the Authorization and the token that the config names, on retries too', async () => {
    const [journal, receiver] = [await openJournal(), await startReceiver(answer(500))];
    const courier = openCourier(journal);
    const cases = [
      [{ scheme: 'Bearer', credentials: 'k1' }, 'Bearer k1'],
      [{ scheme: 'bearer', credentials: 'k1' }, 'bearer k1'],
      [{ scheme: 'Basic', credentials: 'dTpw' }, 'Basic dTpw'],
      [{ scheme: 'Negotiate' }, 'Negotiate'],
      [undefined, undefined],
    ] as const;
    for (const [authentication, authorization] of cases) {
      receiver.received.length = 0;
      const more = { token: 'secret', ...(authentication && { authentication }) };
      const run = await watchedRun(journal, receiver, more);
      await publish(courier, run, status('TASK_STATE_WORKING'));
      await expect.poll(() => courier.commands.splice(0).length).toBe(1);
      await journal.putPushConfig(SCOPE, run.taskId, registration(receiver, more));
      await courier.retry(await pushIdOf(journal, run), 1);
      expect(receiver.received).toHaveLength(2);
      for (const { headers } of receiver.received) {
        expect(headers.authorization).toBe(authorization);
        expect(headers['x-a2a-notification-token']).toBe('secret');
      }
      expect(new Set(receiver.ids()).size).toBe(1);
    }
    const bare = await watchedRun(journal, receiver, {});
    await publish(courier, bare, status('TASK_STATE_WORKING'));
    await expect.poll(() => receiver.received.length).toBe(3);
    expect(receiver.received[2]?.headers).not.toHaveProperty('x-a2a-notification-token');
  });

  test('C05 a Standard Webhooks signature that the public key verifies', async () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const [journal, receiver] = [await openJournal(), await startReceiver()];
    const courier = openCourier(journal, { signingKey: privateKey });
    const run = await watchedRun(journal, receiver);
    await publish(courier, run, status('TASK_STATE_WORKING', 'ünïcode'));
    await expect.poll(() => receiver.received.length).toBe(1);
    const { headers, body } = receiver.received[0]!;
    const [version, signature = ''] = String(headers['webhook-signature']).split(',');
    expect(version).toBe('v1a');
    const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
    const publicKey = createPublicKey(privateKey);
    expect(verify(null, Buffer.from(signed), publicKey, Buffer.from(signature, 'base64'))).toBe(true);
    expect(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1_000)).toBeLessThan(10);
  });

  test('C04 a config made later is told what comes after it', async () => {
    const [journal, receiver] = [await openJournal(), await startReceiver()];
    const courier = openCourier(journal);
    const run = await startRun(journal);
    await run.append(status('TASK_STATE_WORKING'));
    await journal.putPushConfig(SCOPE, run.taskId, registration(receiver));
    await publish(courier, run, status('TASK_STATE_COMPLETED'));
    await expect.poll(() => receiver.words()).toEqual(['COMPLETED']);
    const late = await startReceiver();
    await journal.putPushConfig(SCOPE, run.taskId, registration(late, { id: 'late' }));
    expect(await journal.duePushes(10)).toEqual([]);
  });

  test('C05 X38 a task that is closed from outside tells it', async () => {
    const [journal, receiver] = [await openJournal(), await startReceiver()];
    const { courier } = openCourier(journal);
    const run = await watchedRun(journal, receiver);
    await journal.closeTask(run.taskId, 'TASK_STATE_FAILED', 'The task was terminated');
    // Nobody wakes it: it looks for itself.
    courier.start();
    await expect.poll(() => receiver.words()).toEqual(['FAILED']);
  });

  test('C05 what retention took is told as the task itself', async () => {
    const clock = testClock();
    const [journal, receiver] = [await openJournal({ keepEvents: 0, now: clock.now }), await startReceiver()];
    const courier = openCourier(journal, { clock: clock.now });
    const run = await watchedRun(journal, receiver);
    const { pushes = [] } = await run.append(...LIFE);
    await journal.sweep(new Date(clock.advance(1_000)));
    courier.courier.wake(pushes);
    await expect.poll(() => receiver.words()).toEqual(['task']);
    expect((JSON.parse(receiver.received[0]!.body) as { task: Task }).task).toMatchObject({
      status: { state: 'TASK_STATE_COMPLETED' },
      artifacts: [{ parts: [{ text: 'answer' }] }],
    });
    await expect.poll(() => journal.duePushes(10)).toEqual([]);
  });
});

import { createPublicKey, generateKeyPairSync, verify, type JsonWebKey } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { SCOPE } from '../journal/support.js';
import { script } from '../agents/script.js';
import { answer, hang, Receiver, type Behaviour } from '../support/receiver.js';
import { startStack, type Stack } from '../support/stack.js';

/** Webhooks on the whole server, with Temporal for receivers that fail. */

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({
    env: {
      WEBHOOKS_ALLOW_PRIVATE: 'true',
      WEBHOOK_TIMEOUT: '1s',
      WEBHOOK_FIRST_PAUSE: '100ms',
      WEBHOOK_LONGEST_PAUSE: '400ms',
      WEBHOOK_GIVE_UP_AFTER: '3s',
    },
  });
});
afterAll(() => stack.close());

async function receiverThat(behaviour?: Behaviour): Promise<Receiver> {
  const receiver = await Receiver.start(behaviour);
  onTestFinished(() => receiver.close());
  return receiver;
}

const SECRETS = {
  token: 'the-token-is-secret',
  authentication: { scheme: 'Bearer', credentials: 'the-credentials-are-secret' },
};
const watchedBy = (receiver: Receiver, more: object = {}) => ({
  configuration: { taskPushNotificationConfig: { id: 'c', url: receiver.url, ...SECRETS, ...more } },
});

async function standing(taskId: string, id = 'c') {
  const progress = await stack.journal.readPushProgress({ ...SCOPE, agent: 'script' }, taskId, id, 100);
  if (progress === undefined) throw new Error('there is no such config');
  return progress;
}

/** All texts of a history: fields as they are, payloads decoded. */
function payloadsOf(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  return Object.values(value).map(payloadsOf).join('\n');
}

test('C05 a receiver that answers: all in order, and no workflow of its own', async () => {
  const receiver = await receiverThat();
  const { id } = await stack.rpc.send([script({ do: 'working', text: 'on it' })], watchedBy(receiver));
  await expect.poll(() => receiver.words()).toEqual(['WORKING', 'COMPLETED']);
  expect(receiver.received[0]?.headers).toMatchObject({
    authorization: 'Bearer the-credentials-are-secret',
    'x-a2a-notification-token': 'the-token-is-secret',
  });
  const { pushId, state } = await standing(id);
  expect(state).toBe('active');
  await expect(stack.client.workflow.getHandle(pushId).describe()).rejects.toThrow();
});

test('C05 X31 one that was down: Temporal tries again, all arrives in order, nothing secret in its history', async () => {
  const receiver = await receiverThat((one, response, count) => {
    if (count <= 4) answer(503)(one, response, count);
  });
  const { id } = await stack.rpc.send(
    [script({ do: 'working', text: 'on it' }, { do: 'artifact', text: 'a' })],
    watchedBy(receiver),
  );
  await expect
    .poll(() => receiver.words(), { timeout: 20_000 })
    .toEqual([...Array<string>(4).fill('WORKING'), 'WORKING', 'a', 'COMPLETED']);
  const { pushId } = await standing(id);
  const handle = stack.client.workflow.getHandle(pushId);
  await handle.result();
  expect(await standing(id)).toMatchObject({ state: 'active', attempts: 0, undelivered: [] });
  const told = payloadsOf(await handle.fetchHistory());
  expect(told).toContain(pushId);
  const taskHistory = payloadsOf(await stack.client.workflow.getHandle(id).fetchHistory());
  expect(taskHistory).toContain('on it');
  for (const text of [told, taskHistory]) {
    expect(text).not.toContain('secret');
    expect(text).not.toContain(receiver.url);
  }
});

test('C05 it fails, catches up, fails again: a second run takes it up', async () => {
  let failing = true;
  const receiver = await receiverThat((one, response, count) => {
    if (failing) answer(500)(one, response, count);
  });
  const { id } = await stack.rpc.send([script({ do: 'ask', text: 'one?' })], watchedBy(receiver));
  await expect.poll(() => receiver.received.length).toBeGreaterThan(1);
  failing = false;
  await expect.poll(async () => (await standing(id)).state, { timeout: 10_000 }).toBe('active');
  failing = true;
  const before = receiver.received.length;
  await stack.rpc.send('yes', { taskId: id });
  await expect.poll(() => receiver.received.length, { timeout: 10_000 }).toBeGreaterThan(before + 1);
  failing = false;
  await expect.poll(async () => (await standing(id)).undelivered, { timeout: 10_000 }).toEqual([]);
  expect(receiver.words().at(-1)).toBe('COMPLETED');
});

test('C05 X31 given up in the end: the dead letters can be read, and created again it goes on', async () => {
  const receiver = await receiverThat(answer(500));
  const { id } = await stack.rpc.send([script({ do: 'working', text: 'on it' })], watchedBy(receiver));
  await expect.poll(async () => (await standing(id)).state, { timeout: 20_000 }).toBe('dead');
  const { undelivered, pushId } = await standing(id);
  expect(undelivered).toHaveLength(2);
  await stack.client.workflow.getHandle(pushId).result();
  receiver.behaviour = () => undefined;
  const before = receiver.received.length;
  await stack.rpc.ok('CreateTaskPushNotificationConfig', {
    taskId: id,
    ...watchedBy(receiver).configuration.taskPushNotificationConfig,
  });
  await expect.poll(() => receiver.words().slice(before)).toEqual(['WORKING', 'COMPLETED']);
});

test('X31 C04 deleted while it waits for its next attempt: the workflow ends at once', async () => {
  const slow = await startStack({
    env: { WEBHOOKS_ALLOW_PRIVATE: 'true', WEBHOOK_FIRST_PAUSE: '10m' },
  });
  onTestFinished(() => slow.close());
  const receiver = await receiverThat(answer(500));
  const { id } = await slow.rpc.send([script({ do: 'complete', text: 'x' })], watchedBy(receiver));
  const progress = await slow.journal.readPushProgress({ ...SCOPE, agent: 'script' }, id, 'c', 1);
  const handle = slow.client.workflow.getHandle(progress!.pushId);
  await expect
    .poll(async () => (await handle.describe().catch(() => undefined))?.status.name)
    .toBe('RUNNING');
  await slow.rpc.ok('DeleteTaskPushNotificationConfig', { taskId: id, id: 'c' });
  const began = performance.now();
  await handle.result();
  expect(performance.now() - began).toBeLessThan(5_000);
  expect(receiver.received).toHaveLength(1);
});

test('C05 X31 another address while it waits: tried at once, from where it stands', async () => {
  const slow = await startStack({
    env: { WEBHOOKS_ALLOW_PRIVATE: 'true', WEBHOOK_FIRST_PAUSE: '10m' },
  });
  onTestFinished(() => slow.close());
  const [wrong, right] = [await receiverThat(answer(404)), await receiverThat()];
  const { id } = await slow.rpc.send([script({ do: 'complete', text: 'x' })], watchedBy(wrong));
  await expect.poll(() => wrong.received.length).toBe(1);
  await slow.rpc.ok('CreateTaskPushNotificationConfig', { taskId: id, id: 'c', url: right.url });
  await expect.poll(() => right.words(), { timeout: 10_000 }).toEqual(['WORKING', 'x', 'COMPLETED']);
});

test('C05 X31 a receiver that hangs delays neither the task nor another receiver', async () => {
  const [stuck, well] = [await receiverThat(hang), await receiverThat()];
  const { id } = await stack.rpc.send([script({ do: 'ask', text: '?' })], watchedBy(stuck));
  await stack.rpc.ok('CreateTaskPushNotificationConfig', { taskId: id, id: 'well', url: well.url });
  const began = performance.now();
  await stack.rpc.send('yes', { taskId: id });
  await expect.poll(() => well.words(), { interval: 10 }).toEqual(['WORKING', 'yes', 'COMPLETED']);
  expect(performance.now() - began).toBeLessThan(900);
});

test('C05 C06 signed, and the key that is served verifies it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'a2a-temporal-key-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { privateKey } = generateKeyPairSync('ed25519');
  const SIGNING_KEY_FILE = join(folder, 'key.pem');
  await writeFile(SIGNING_KEY_FILE, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const signing = await startStack({ env: { WEBHOOKS_ALLOW_PRIVATE: 'true', SIGNING_KEY_FILE } });
  onTestFinished(() => signing.close());
  const receiver = await receiverThat();
  await signing.rpc.send([script({ do: 'complete', text: 'x' })], watchedBy(receiver));
  await expect.poll(() => receiver.words()).toEqual(['WORKING', 'x', 'COMPLETED']);
  const jwks = (await (await fetch(`${signing.url}/.well-known/jwks.json`)).json()) as { keys: JsonWebKey[] };
  const key = createPublicKey({ key: jwks.keys[0]!, format: 'jwk' });
  for (const { headers, body } of receiver.received) {
    const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
    const signature = Buffer.from(String(headers['webhook-signature']).replace('v1a,', ''), 'base64');
    expect(verify(null, Buffer.from(signed), key, signature)).toBe(true);
  }
});

test('C05 X38 a task that is terminated in Temporal tells its receiver', async () => {
  const receiver = await receiverThat();
  const { id } = await stack.rpc.send([script({ do: 'ask', text: '?' })], watchedBy(receiver));
  await stack.client.workflow.getHandle(id).terminate();
  await expect.poll(() => receiver.words().at(-1), { timeout: 60_000 }).toBe('FAILED');
}, 90_000);

test('F05 C05 while no worker runs they wait; then they arrive', async () => {
  const other = await startStack({ env: { WEBHOOKS_ALLOW_PRIVATE: 'true', CANCEL_WAIT: '100ms' } });
  onTestFinished(() => other.close());
  const receiver = await receiverThat();
  const { id } = await other.rpc.send([script({ do: 'ask', text: '?' })], watchedBy(receiver));
  await expect.poll(() => receiver.words()).toEqual(['WORKING', 'INPUT_REQUIRED']);
  await other.stopWorker();
  await other.rpc.ok('CancelTask', { id });
  await other.startWorker();
  await expect.poll(() => receiver.words().at(-1), { timeout: 20_000 }).toBe('CANCELED');
});

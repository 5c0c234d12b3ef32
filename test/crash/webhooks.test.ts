import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { Processes } from '../../demo/processes.js';
import { script } from '../agents/script.js';
import { answer, hang, Receiver, type Behaviour } from '../support/receiver.js';
import { RpcClient } from '../support/rpc-client.js';

/** API, worker and Temporal as processes of their own; the worker is killed while it delivers. */

let processes: Processes;
let rpc: RpcClient;
beforeAll(async () => {
  processes = await Processes.start({
    AGENTS_DIR: fileURLToPath(new URL('../agents', import.meta.url)),
    DEFAULT_AGENT: 'script',
    WEBHOOKS_ALLOW_PRIVATE: 'true',
    WEBHOOK_TIMEOUT: '60s',
    WEBHOOK_FIRST_PAUSE: '100ms',
    WEBHOOK_LONGEST_PAUSE: '500ms',
  });
  rpc = new RpcClient(`${processes.url}/a2a/jsonrpc`);
});
afterAll(() => processes.stop());

async function receiverThat(behaviour: Behaviour): Promise<Receiver> {
  const receiver = await Receiver.start(behaviour);
  onTestFinished(() => receiver.close());
  return receiver;
}

const watchedBy = ({ url }: Receiver) => ({
  configuration: { returnImmediately: true, taskPushNotificationConfig: { id: 'c', url } },
});
const LIFE = script({ do: 'working', text: 'one' }, { do: 'artifact', text: 'two' });

async function killWorker(): Promise<void> {
  await processes.kill('worker');
  await processes.startRole('worker');
}

test('F03 X31 C05 SIGKILL in mid-delivery: the one in flight is repeated under its id, the rest follows', async () => {
  const receiver = await receiverThat((one, response, count) => {
    if (count === 2) hang(one, response, count);
  });
  await rpc.send([LIFE], watchedBy(receiver));
  await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(2);
  await killWorker();
  await expect
    .poll(() => receiver.words(), { timeout: 30_000 })
    .toEqual(['WORKING', 'two', 'two', 'COMPLETED']);
  expect(receiver.ids()[1]).toBe(receiver.ids()[2]);
  expect(new Set(receiver.ids()).size).toBe(3);
});

test('F03 X31 C05 SIGKILL while Temporal tries it again: nothing lost, in order', async () => {
  const receiver = await receiverThat((one, response, count) => {
    if (count <= 2) answer(500)(one, response, count);
    else if (count === 3) hang(one, response, count);
  });
  await rpc.send([LIFE], watchedBy(receiver));
  await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(3);
  await killWorker();
  await expect.poll(() => receiver.words().at(-1), { timeout: 30_000 }).toBe('COMPLETED');
  expect(receiver.words().slice(-3)).toEqual(['WORKING', 'two', 'COMPLETED']);
  expect(new Set(receiver.ids()).size).toBe(3);
});

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Task } from '../../core/task.js';
import { isTaken } from '../../server/ports.js';
import { script } from '../agents/script.js';
import { Command } from '../support/command.js';
import { RpcClient } from '../support/rpc-client.js';

/** `a2a-temporal start` as a person uses it: a process, signals, and what it prints. */
let folder: string;
let env: Record<string, string>;
const commands: Command[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'a2a-start-'));
  env = {
    DATA_DIR: join(folder, 'data'),
    AGENTS_DIR: fileURLToPath(new URL('../agents', import.meta.url)),
    PORT: '0',
    TEMPORAL_PORT: '0',
    TEMPORAL_HEADLESS: 'true',
  };
});
afterEach(() => Promise.all(commands.splice(0).map((command) => command.stop())));
afterAll(() => rm(folder, { recursive: true, force: true }));

function run(args: string[], more: Record<string, string> = {}): Command {
  const command = new Command(args, { ...env, ...more });
  commands.push(command);
  return command;
}

async function start(): Promise<{ command: Command; url: string; rpc: RpcClient; temporalPort: number }> {
  const command = run(['start']);
  const [, url = ''] = await command.prints(/API +(http:\S+)/);
  const [, port] = await command.prints(/Temporal +127\.0\.0\.1:(\d+)/);
  await command.prints(/Ctrl-C stops it/);
  return { command, url, rpc: new RpcClient(`${url}/`), temporalPort: Number(port) };
}

test('F01 start prints its addresses and a curl line that works; a second start goes on with the first one’s task', async () => {
  const first = await start();
  const [, curl = ''] = /Try it:\n +(curl .*)/.exec(first.command.output) ?? [];
  const { stdout } = await promisify(execFile)('sh', ['-c', curl]);
  const answer = JSON.parse(stdout) as { result: { task: Task } };
  expect(answer.result.task.status.state).toBe('TASK_STATE_COMPLETED');
  const card = (await (await fetch(`${first.url}/.well-known/agent-card.json`)).json()) as {
    supportedInterfaces: { url: string; protocolBinding: string }[];
  };
  const [, grpc = ''] = /gRPC +(\S+)/.exec(first.command.output) ?? [];
  for (const { url, protocolBinding } of card.supportedInterfaces) {
    if (protocolBinding === 'GRPC') expect(url).toBe(grpc);
    else expect(url.startsWith(first.url)).toBe(true);
  }
  expect(await (await fetch(`${first.url}/readyz`)).json()).toMatchObject({ journal: 'ok', temporal: 'ok' });
  const paused = await first.rpc.send([
    script({ do: 'ask', text: 'Which city?' }, { do: 'complete', text: 'There.' }),
  ]);
  expect(paused.status.state).toBe('TASK_STATE_INPUT_REQUIRED');

  first.command.send('SIGINT');
  expect(await first.command.ended()).toEqual({ code: 0, signal: null });
  expect(await isTaken(first.temporalPort)).toBe(false);

  const second = await start();
  expect((await second.rpc.get(paused.id)).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  const done = await second.rpc.send('Paris', { taskId: paused.id });
  expect(done.status.state).toBe('TASK_STATE_COMPLETED');
});

test('F03 after a kill -9 of the server the next start goes on at once, with the same data', async () => {
  const first = await start();
  const task = await first.rpc.send(
    [script({ do: 'sleep', millis: 3_000 }, { do: 'complete', text: 'awake' })],
    {
      configuration: { returnImmediately: true },
    },
  );
  await first.rpc.until(task.id, ['TASK_STATE_WORKING']);
  first.command.send('SIGKILL');
  await first.command.ended();

  const second = await start();
  const done = await second.rpc.until(task.id, ['TASK_STATE_COMPLETED']);
  expect(done.artifacts?.[0]?.parts).toEqual([{ text: 'awake' }]);
});

test('F09 SIGTERM ends open streams in order and the process within seconds; the task goes on afterwards', async () => {
  const first = await start();
  const task = await first.rpc.send(
    [script({ do: 'activity', millis: 6_000 }, { do: 'complete', text: 'worked' })],
    {
      configuration: { returnImmediately: true },
    },
  );
  const stream = first.rpc.all('SubscribeToTask', { id: task.id });
  const blocking = first.rpc.send([script({ do: 'activity', millis: 60_000 })]);
  await first.rpc.until(task.id, ['TASK_STATE_WORKING']);
  await new Promise((resolve) => setTimeout(resolve, 300));

  const began = Date.now();
  first.command.send('SIGTERM');
  // The stream ends without an error, the waiting send gets its task as it is.
  const frames = await stream;
  expect(frames.length).toBeGreaterThan(0);
  expect((await blocking).status.state).toBe('TASK_STATE_WORKING');
  expect(await first.command.ended()).toEqual({ code: 0, signal: null });
  expect(Date.now() - began).toBeLessThan(12_000);

  const second = await start();
  const done = await second.rpc.until(task.id, ['TASK_STATE_COMPLETED'], 30_000);
  expect(done.artifacts?.[0]?.parts).toEqual([{ text: 'worked' }]);
});

test('F09 a second Ctrl-C ends the process at once, and Temporal with it', async () => {
  const { command, rpc, temporalPort } = await start();
  await rpc.send([script({ do: 'activity', millis: 60_000, stubborn: true })], {
    configuration: { returnImmediately: true },
  });
  command.send('SIGINT');
  await command.prints(/once more to stop at once/);
  const began = Date.now();
  command.send('SIGINT');
  const { code } = await command.ended();
  expect(code).toBe(130);
  expect(Date.now() - began).toBeLessThan(2_000);
  await expect.poll(() => isTaken(temporalPort), { timeout: 10_000 }).toBe(false);
});

test('F01 a taken port, a taken data folder, wrong settings and missing agents each say what to do', async () => {
  const squatter = createServer().listen(0, '127.0.0.1');
  await once(squatter, 'listening');
  const port = String((squatter.address() as AddressInfo).port);
  const failures: [Record<string, string>, RegExp][] = [
    [{ PORT: port }, new RegExp(`Port ${port} is in use \\(PORT\\)`)],
    [{ TEMPORAL_PORT: port }, new RegExp(`Port ${port} is in use \\(TEMPORAL_PORT\\).*TEMPORAL_ADDRESS`)],
    [{ PORT: 'high', KEEP_ALIVE: 'long' }, /PORT=high: .*\n.*KEEP_ALIVE=long: /],
    [{ HOST: '0.0.0.0' }, /ALLOW_ANONYMOUS_REMOTE=true/],
    [{ AGENTS_DIR: join(folder, 'none') }, /The agents folder .*none cannot be read/],
    [{ DEFAULT_AGENT: 'nobody' }, /there is no agent 'nobody'/],
  ];
  for (const [wrong, message] of failures) {
    const command = run(['start'], wrong);
    expect((await command.ended()).code).toBe(1);
    expect(command.output).toMatch(message);
    expect(command.output).not.toMatch(/^ +at /m);
  }
  squatter.close();

  const { command } = await start();
  const second = run(['start']);
  expect((await second.ended()).code).toBe(1);
  expect(second.output).toContain(`Another server (process ${command.pid}) uses ${env['DATA_DIR']}`);
});

test('F01 help and version, and a word on what is not understood', async () => {
  const help = run(['--help']);
  expect((await help.ended()).code).toBe(0);
  for (const word of ['start', 'init', 'api', 'worker', '--agents']) expect(help.output).toContain(word);
  const version = run(['--version']);
  await version.ended();
  expect(version.output.trim()).toMatch(/^\d+\.\d+\.\d+/);
  for (const args of [['begin'], ['start', 'now'], ['start', '--loud']]) {
    const command = run(args);
    expect((await command.ended()).code).toBe(1);
    expect(command.output).toMatch(/'begin'|'now'|--loud/);
  }
});

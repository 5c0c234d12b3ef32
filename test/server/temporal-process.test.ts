import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CappedLog } from '../../server/capped-log.js';
import { isAlive } from '../../server/folder-lock.js';
import { isTaken } from '../../server/ports.js';
import { findTemporalBinary } from '../../server/temporal-binary.js';
import { startTemporal, type TemporalProcessOptions } from '../../server/temporal-process.js';

let folder: string;
let options: TemporalProcessOptions;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'a2a-process-'));
  options = {
    binary: await findTemporalBinary({ env: process.env, report: console.error }),
    databaseFile: join(folder, 'temporal.db'),
    port: 0,
    uiPort: false,
    logFile: join(folder, 'temporal.log'),
  };
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const portOf = (address: string): number => Number(address.split(':')[1]);

async function startWaiting(address: string, workflowId: string): Promise<void> {
  const connection = await Connection.connect({ address });
  await new Client({ connection }).workflow.start('anything', { workflowId, taskQueue: 'nobody', args: [] });
  await connection.close();
}

async function statusOf(address: string, workflowId: string): Promise<string> {
  const connection = await Connection.connect({ address });
  const { status } = await new Client({ connection }).workflow.getHandle(workflowId).describe();
  await connection.close();
  return status.name;
}

test('F01 Temporal starts tuned, answers, and leaves no process and no port behind when closed', async () => {
  const temporal = await startTemporal(options);
  const { pid } = temporal;
  expect(isAlive(-pid)).toBe(true);
  const flags = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined);
  if (flags !== undefined) {
    for (const flag of [
      'journal_mode=WAL',
      'history.maxInFlightUpdates=1000',
      'history.maxTotalUpdates=100000',
    ]) {
      expect(flags).toContain(flag);
    }
  }
  await temporal.close();
  expect(isAlive(-pid)).toBe(false);
  expect(await isTaken(portOf(temporal.address))).toBe(false);
});

test('F03 Temporal that is killed comes back on the same address with what it had', async () => {
  const restarts: boolean[] = [];
  let back: () => void = () => undefined;
  const isBack = new Promise<void>((resolve) => (back = resolve));
  const temporal = await startTemporal({
    ...options,
    onRestart: ({ restarting }) => {
      restarts.push(restarting);
      if (!restarting) back();
    },
  });
  try {
    await startWaiting(temporal.address, 'survivor');
    const killed = temporal.pid;
    process.kill(-killed, 'SIGKILL');
    await isBack;
    expect(restarts).toEqual([true, false]);
    expect(temporal.pid).not.toBe(killed);
    expect(await statusOf(temporal.address, 'survivor')).toBe('RUNNING');
  } finally {
    await temporal.close();
  }
});

test('F03 a parent that is killed takes Temporal with it, and the next one goes on with its data at once', async () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const code = `
    import { startTemporal } from './server/temporal-process.ts';
    const temporal = await startTemporal(${JSON.stringify(options)});
    console.log(temporal.address, temporal.pid);
  `;
  const parent = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', code], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  const [address = '', pid = ''] = line.toString().trim().split(' ');
  await startWaiting(address, 'orphan');
  parent.kill('SIGKILL');
  await once(parent, 'exit');

  const next = await startTemporal({ ...options, port: portOf(address) });
  try {
    expect(isAlive(-Number(pid))).toBe(false);
    expect(await statusOf(next.address, 'orphan')).toBe('RUNNING');
  } finally {
    await next.close();
  }
});

test('F01 a port in use is an error that names the setting and the way out', async () => {
  const squatter = createServer().listen(0, '127.0.0.1');
  await once(squatter, 'listening');
  const { port } = squatter.address() as { port: number };
  try {
    await expect(startTemporal({ ...options, port })).rejects.toThrow(
      new RegExp(`Port ${port} is in use \\(TEMPORAL_PORT\\).*TEMPORAL_ADDRESS=127\\.0\\.0\\.1:${port}`),
    );
    await expect(startTemporal({ ...options, uiPort: port })).rejects.toThrow(/TEMPORAL_UI_PORT/);
  } finally {
    squatter.close();
  }
});

test('F01 a binary that ends at once is an error that names its log', async () => {
  const began = Date.now();
  const logFile = join(folder, 'failed.log');
  await expect(startTemporal({ ...options, binary: '/bin/false', logFile })).rejects.toThrow(logFile);
  expect(Date.now() - began).toBeLessThan(5_000);
});

test('F07 a log keeps below its limit, the newest lines in it', async () => {
  const file = join(folder, 'capped.log');
  const log = await CappedLog.open(file, 1_000);
  for (let line = 0; line < 100; line++) log.write(Buffer.from(`line ${line} ${'x'.repeat(40)}\n`));
  log.close();
  expect((await stat(file)).size).toBeLessThanOrEqual(1_000);
  expect((await stat(`${file}.1`)).size).toBeLessThanOrEqual(1_000);
  expect(await readFile(file, 'utf8')).toContain('line 99 ');
});

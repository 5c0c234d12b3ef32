import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { CappedLog } from './capped-log.js';
import { isAlive } from './folder-lock.js';
import { freePort, isTaken, PortInUse } from './ports.js';

const READY_WITHIN = 60_000;
const START_TRIES = 3;
const STOP_WITHIN = 5_000;
const LOG_BYTES = 10 * 1024 * 1024;
const RESTART_DELAYS = [200, 500, 1_000, 2_000, 5_000];

export interface TemporalProcessOptions {
  /** Path of the Temporal CLI. */
  binary: string;
  /** Where Temporal keeps its state; without it, in memory. */
  databaseFile?: string;
  /** Of the gRPC frontend; 0 takes a free one. */
  port: number;
  /** Of the web interface; false leaves it out. */
  uiPort: number | false;
  /** Temporal's own output. Kept below 20 MB in two files. */
  logFile: string;
  /** Told when Temporal died and when it is back. */
  onRestart?(event: { restarting: boolean; code: number | null }): void;
}

export interface TemporalProcess {
  /** `host:port`. */
  readonly address: string;
  readonly uiUrl: string | undefined;
  /** Of the process group now running; another one after a restart. */
  readonly pid: number;
  /** Ends it; afterwards no process is left. */
  close(): Promise<void>;
}

/**
 * The single-machine settings of the development server. By default it polls its one history shard at
 * most 20 times a second and rounds timers up to a second; docs/decisions has the figures.
 */
const TUNING: Record<string, string> = {
  'history.transferProcessorMaxPollRPS': '5000',
  'history.timerProcessorMaxPollRPS': '5000',
  'history.visibilityProcessorMaxPollRPS': '5000',
  'history.transferProcessorMaxPollHostRPS': '50000',
  'history.timerProcessorMaxTimeShift': '"10ms"',
  'matching.numTaskqueueReadPartitions': '1',
  'matching.numTaskqueueWritePartitions': '1',
  'history.maxInFlightUpdates': '1000',
  'history.maxTotalUpdates': '100000',
};

/**
 * Runs Temporal in a process group of its own, so that a terminal's Ctrl-C reaches us and not it: the
 * worker drains before Temporal stops. The shell around it waits on a pipe that only this process holds
 * open; when this process ends, however it ends, the pipe closes and Temporal is told to stop.
 */
const GUARD = `
exec 3<&0
"$@" 3<&- </dev/null &
temporal=$!
( read -r _; kill -TERM "$temporal" ) <&3 2>/dev/null &
exec 3<&-
wait "$temporal"
`;

/** Starts the tuned development server and waits until it answers. Throws {@link PortInUse}. */
export async function startTemporal(options: TemporalProcessOptions): Promise<TemporalProcess> {
  if (process.platform === 'win32') {
    throw new Error('On Windows run Temporal yourself and set TEMPORAL_ADDRESS, or use WSL');
  }
  if (options.databaseFile) {
    await mkdir(dirname(options.databaseFile), { recursive: true });
    await predecessorGone(pidFile(options.databaseFile));
  }
  const port = options.port || (await freePort());
  if (await isTaken(port)) {
    throw new PortInUse(
      port,
      'TEMPORAL_PORT',
      `If a Temporal server runs there, set TEMPORAL_ADDRESS=127.0.0.1:${port}; else choose another port.`,
    );
  }
  if (options.uiPort !== false && (await isTaken(options.uiPort))) {
    throw new PortInUse(options.uiPort, 'TEMPORAL_UI_PORT', 'Choose another port.');
  }
  const supervisor = new Supervisor(options, port, await CappedLog.open(options.logFile, LOG_BYTES));
  await supervisor.start();
  return supervisor;
}

function pidFile(databaseFile: string): string {
  return `${databaseFile}.pid`;
}

/** After a kill -9 of its parent the last Temporal takes a second to stop; two must not share a file. */
async function predecessorGone(file: string): Promise<void> {
  const pid = Number(await readFile(file, 'utf8').catch(() => '0'));
  const deadline = Date.now() + STOP_WITHIN;
  while (pid > 0 && isAlive(-pid) && Date.now() < deadline) await delay(50);
}

class Supervisor implements TemporalProcess {
  readonly address: string;
  readonly uiUrl: string | undefined;
  #child: ChildProcess | undefined;
  #closing = false;
  readonly #killAtExit = () => this.#signal('SIGTERM');

  constructor(
    private readonly options: TemporalProcessOptions,
    private readonly port: number,
    private readonly log: CappedLog,
  ) {
    this.address = `127.0.0.1:${port}`;
    this.uiUrl = options.uiPort === false ? undefined : `http://127.0.0.1:${options.uiPort}`;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  async start(): Promise<void> {
    process.on('exit', this.#killAtExit);
    try {
      await this.#runFirst(START_TRIES);
    } catch (error) {
      await this.close();
      throw error;
    }
    void this.#superviseUntilClosed();
  }

  async close(): Promise<void> {
    this.#closing = true;
    process.off('exit', this.#killAtExit);
    const child = this.#child;
    if (child && isRunning(child)) {
      const ended = once(child, 'exit');
      child.stdin?.end();
      const inTime = await Promise.race([ended, delay(STOP_WITHIN, 'late', { ref: false })]);
      if (inTime === 'late') {
        this.#signal('SIGKILL');
        await ended;
      }
    }
    if (this.options.databaseFile) await rm(pidFile(this.options.databaseFile), { force: true });
    this.log.close();
  }

  /** It takes free ports for its inner services and somebody else may be quicker: so more than once. */
  async #runFirst(tries: number): Promise<void> {
    try {
      await this.#run();
    } catch (error) {
      const hangs = this.#child !== undefined && isRunning(this.#child);
      if (tries === 1 || hangs) throw error;
      await this.#runFirst(tries - 1);
    }
  }

  /** One life of Temporal, up to its first answer. */
  async #run(): Promise<void> {
    const child = spawn('/bin/sh', ['-c', GUARD, 'temporal-guard', this.options.binary, ...this.#flags()], {
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child = child;
    child.stdin.on('error', () => undefined); // It died before we closed the pipe.
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        this.log.write(chunk);
        output = (output + chunk.toString()).slice(-1_000);
      });
    }
    await once(child, 'spawn');
    if (this.options.databaseFile) await writeFile(pidFile(this.options.databaseFile), String(child.pid));
    const deadline = Date.now() + READY_WITHIN;
    while (isRunning(child) && Date.now() < deadline) {
      if (await answers(this.address)) return;
      await delay(50);
    }
    const what = isRunning(child)
      ? `Temporal did not answer within ${READY_WITHIN / 1000} s`
      : `Temporal ended at once (code ${child.exitCode}): ${output.trim().split('\n').at(-1) ?? ''}`;
    throw new Error(`${what}\nIts log: ${this.options.logFile}`);
  }

  /** Temporal that dies is started again on the same port and file; clients reconnect by themselves. */
  async #superviseUntilClosed(): Promise<void> {
    let failures = 0;
    while (!this.#closing) {
      const child = this.#child;
      if (child && isRunning(child)) await once(child, 'exit');
      if (this.#closing) return;
      this.options.onRestart?.({ restarting: true, code: child?.exitCode ?? null });
      await delay(RESTART_DELAYS[Math.min(failures, RESTART_DELAYS.length - 1)]);
      if (this.#closing) return;
      try {
        await this.#run();
        failures = 0;
        this.options.onRestart?.({ restarting: false, code: null });
      } catch {
        failures += 1;
        this.#signal('SIGKILL');
      }
    }
  }

  #flags(): string[] {
    const { databaseFile, uiPort } = this.options;
    return [
      ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(this.port), '--log-level', 'warn'],
      ...(databaseFile ? ['--db-filename', databaseFile] : []),
      ...['--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', 'synchronous=NORMAL'],
      ...(uiPort === false ? ['--headless'] : ['--ui-port', String(uiPort)]),
      ...Object.entries(TUNING).flatMap(([key, value]) => ['--dynamic-config-value', `${key}=${value}`]),
    ];
  }

  #signal(signal: NodeJS.Signals): void {
    const child = this.#child;
    if (!child?.pid || !isRunning(child)) return;
    try {
      process.kill(-child.pid, signal);
    } catch {
      // It ended in this instant.
    }
  }
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

/** The port listens before the default namespace is there, so ask for that. */
async function answers(address: string): Promise<boolean> {
  let connection: Connection | undefined;
  try {
    connection = await Connection.connect({ address, connectTimeout: 1_000 });
    const { workflowService } = connection;
    await connection.withDeadline(Date.now() + 1_000, () =>
      workflowService.describeNamespace({ namespace: 'default' }),
    );
    return true;
  } catch {
    return false;
  } finally {
    await connection?.close();
  }
}

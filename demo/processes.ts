import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../server/ports.js';
import { findTemporal } from '../server/temporal-binary.js';
import { startTemporal, type TemporalProcess } from '../server/temporal-process.js';

const CLI = fileURLToPath(new URL('../server/cli.ts', import.meta.url));
const READY_WITHIN = 90_000;

export type Role = 'api' | 'worker';

/**
 * API, worker and Temporal, each a process of its own on one data folder: what can be killed one by
 * one. For the crash demo and the crash tests.
 */
export class Processes {
  readonly url: string;
  readonly #children = new Map<Role, ChildProcess>();

  private constructor(
    readonly dataDir: string,
    private readonly port: number,
    private readonly temporal: TemporalProcess,
    private readonly env: Record<string, string>,
  ) {
    this.url = `http://127.0.0.1:${port}`;
  }

  static async start(env: Record<string, string> = {}): Promise<Processes> {
    const dataDir = await mkdtemp(join(tmpdir(), 'a2a-temporal-'));
    const found = await findTemporal({ env: process.env, report: (line) => console.error(line) });
    if (found.kind === 'address')
      throw new Error('Unset TEMPORAL_ADDRESS: this needs a Temporal server that it may kill');
    const temporal = await startTemporal({
      binary: found.path,
      databaseFile: join(dataDir, 'temporal.db'),
      port: 0,
      uiPort: false,
      logFile: join(dataDir, 'temporal.log'),
    });
    const processes = new Processes(dataDir, await freePort(), temporal, env);
    await Promise.all([processes.startRole('worker'), processes.startRole('api')]);
    return processes;
  }

  get temporalAddress(): string {
    return this.temporal.address;
  }

  /** Starts a role that does not run, and waits until it is ready. */
  async startRole(role: Role): Promise<void> {
    this.spawnRole(role);
    if (role === 'api') await this.#untilApiAnswers();
  }

  /** Starts a role and does not wait. */
  spawnRole(role: Role): void {
    const child = spawn(process.execPath, ['--import', 'tsx', CLI, role], {
      env: {
        ...process.env,
        LOG_LEVEL: 'warn',
        ...this.env,
        PORT: String(this.port),
        GRPC_PORT: 'off',
        DATA_DIR: this.dataDir,
        TEMPORAL_ADDRESS: this.temporal.address,
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    this.#children.set(role, child);
  }

  /** SIGKILL: no handler runs, nothing is flushed. */
  async kill(role: Role | 'temporal'): Promise<void> {
    if (role === 'temporal') {
      // Its supervisor starts it again.
      process.kill(-this.temporal.pid, 'SIGKILL');
      return;
    }
    await this.#end(role, 'SIGKILL');
  }

  async stop(): Promise<void> {
    await Promise.all([this.#end('api', 'SIGTERM'), this.#end('worker', 'SIGTERM')]);
    await this.temporal.close();
    await rm(this.dataDir, { recursive: true, force: true });
  }

  async #end(role: Role, signal: NodeJS.Signals): Promise<void> {
    const child = this.#children.get(role);
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  async #untilApiAnswers(): Promise<void> {
    const deadline = Date.now() + READY_WITHIN;
    while (Date.now() < deadline) {
      const response = await fetch(`${this.url}/healthz`).catch(() => undefined);
      if (response?.ok) return;
      await delay(50);
    }
    throw new Error(`The API did not answer within ${READY_WITHIN / 1000} s`);
  }
}

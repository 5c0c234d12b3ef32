import { existsSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findTemporal } from '../server/temporal-binary.js';
import { startTemporal, type TemporalProcess } from '../server/temporal-process.js';
import { startChild, startProgram, type Callee, type Running } from './children.js';

const READY_WITHIN = 120_000;

/** A process of the product under test. */
export interface Product extends Running {
  /** JSON-RPC address of an agent in bench/agents. */
  url(agent: string): string;
  /** `host:port`; an agent's code is its tenant. */
  grpcAddress: string;
}

/**
 * The processes of one scenario, all on this machine and all ended by `close`. Each scenario has a fresh
 * Temporal, a fresh journal and its own load generator.
 */
export class Stack {
  readonly #closing: (() => Promise<void>)[] = [];
  #temporal: TemporalProcess | undefined;

  private constructor(
    /** Gone after the scenario. */
    readonly folder: string,
    /** A short run that shows that the scenario works and measures nothing. */
    readonly quick: boolean,
    readonly log: (line: string) => void,
  ) {}

  static async open(quick: boolean, log: (line: string) => void): Promise<Stack> {
    return new Stack(await mkdtemp(join(tmpdir(), 'a2a-temporal-bench-')), quick, log);
  }

  /** Of a whole run, or of a quick one. */
  size(whole: number, quick: number): number {
    return this.quick ? quick : whole;
  }

  /** The tuned development server of `npm start`, for the product and the peers alike. */
  async temporal(): Promise<TemporalProcess> {
    if (this.#temporal) return this.#temporal;
    const source = await findTemporal({
      env: { ...process.env, TEMPORAL_ADDRESS: undefined },
      report: this.log,
    });
    if (source.kind === 'address') throw new Error('the bench starts its own Temporal server');
    const temporal = await startTemporal({
      binary: source.path,
      databaseFile: join(this.folder, 'temporal.db'),
      port: 0,
      uiPort: false,
      logFile: join(this.folder, 'temporal.log'),
    });
    this.#closing.push(() => temporal.close());
    this.#temporal = temporal;
    return temporal;
  }

  /**
   * Starts the product as a user does: all in one process (`start`), or the `api` and a `worker` apart on one
   * journal. Resolves when it is ready.
   */
  async product(command: 'start' | 'api' | 'worker', env: Record<string, string> = {}): Promise<Product> {
    const port = await freePort();
    const grpcPort = await freePort();
    const running = startProgram(
      [
        // As the scripts of package.json and the command's first line have it.
        ...[
          '--max-semi-space-size=64',
          '--import',
          'tsx',
          '--import',
          new URL('./collector.mjs', import.meta.url).href,
          fileURLToPath(new URL('../server/cli.ts', import.meta.url)),
        ],
        ...[command, '--agents', fileURLToPath(new URL('./agents', import.meta.url))],
      ],
      {
        PORT: String(port),
        GRPC_PORT: String(grpcPort),
        DATA_DIR: join(this.folder, 'data'),
        TEMPORAL_ADDRESS: (await this.temporal()).address,
        LOG_LEVEL: 'error',
        MAX_STREAMS_PER_CALLER: '2000',
        ...env,
      },
    );
    this.#closing.push(() => running.stop());
    const product = {
      ...running,
      url: (agent: string) => `http://127.0.0.1:${port}/agents/${agent}`,
      grpcAddress: `127.0.0.1:${grpcPort}`,
    };
    if (command !== 'worker') await isReady(running, `http://127.0.0.1:${port}/readyz`);
    return product;
  }

  /** A model endpoint for the agent `tokens`: settings for {@link product}. */
  async tokenModel(): Promise<Record<string, string>> {
    const { ready } = await this.#child('./token-server.ts');
    return { MODEL_BASE_URL: String(ready), MODEL_NAME: 'tokens' };
  }

  /** Fills a journal before the product opens it; gives the id of a context with ten tasks. */
  async seed(file: string, tasks: number, agent: string): Promise<string> {
    this.log(`filling a journal with ${tasks} tasks`);
    await mkdir(dirname(file), { recursive: true });
    const seeder = await this.#child('./seed.ts');
    const { contextId } = await seeder.call<{ contextId: string }>('seed', { file, tasks, agent });
    await seeder.stop();
    return contextId;
  }

  load(): Promise<Callee> {
    return this.#child('./load/main.ts');
  }

  /** A receiver of webhooks; `ready` is its URL. */
  receiver(): Promise<Callee> {
    return this.#child('./receiver.ts');
  }

  /** Worker and client of the workflow without a product around it. */
  async bare(): Promise<Callee> {
    const args = [(await this.temporal()).address, 'bare'];
    await this.#child('./bare/worker.ts', args);
    return this.#child('./bare/client.ts', args);
  }

  /** The official JavaScript server; `ready` is its URL. */
  async jsServer(): Promise<Callee> {
    this.#installPeers();
    return this.#child('./peers/a2a-js.ts');
  }

  /** Worker and reader of `@temporalio/workflow-streams`. */
  async workflowStreams(): Promise<Callee> {
    this.#installPeers();
    const args = [(await this.temporal()).address, 'streams'];
    await this.#child('./peers/streams-worker.ts', args);
    return this.#child('./peers/streams-reader.ts', args);
  }

  async close(): Promise<void> {
    for (const close of this.#closing.reverse()) await close();
    await rm(this.folder, { recursive: true, force: true });
  }

  async #child(script: string, args: string[] = []): Promise<Callee> {
    const child = await startChild(fileURLToPath(new URL(script, import.meta.url)), args);
    this.#closing.push(() => child.stop());
    return child;
  }

  #installPeers(): void {
    const peers = fileURLToPath(new URL('./peers', import.meta.url));
    if (existsSync(join(peers, 'node_modules/.package-lock.json'))) return;
    this.log('installing the peers');
    execFileSync('npm', ['ci'], { cwd: peers, stdio: ['ignore', 'ignore', 'inherit'] });
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function isReady(running: Running, url: string): Promise<void> {
  const deadline = Date.now() + READY_WITHIN;
  while (Date.now() < deadline) {
    if (running.hasEnded()) throw new Error('the product ended while it started');
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return;
    await delay(100);
  }
  throw new Error(`the product was not ready within ${READY_WITHIN / 1_000} s`);
}

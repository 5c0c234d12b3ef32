import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The `a2a-temporal` command as a process of its own, run from source. */
export class Command {
  output = '';
  readonly #child: ChildProcess;
  readonly #ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;

  constructor(args: string[], env: Record<string, string>, cwd = ROOT) {
    const { TEMPORAL_ADDRESS: _, ...inherited } = process.env;
    this.#child = spawn(
      process.execPath,
      ['--import', import.meta.resolve('tsx'), `${ROOT}/server/cli.ts`, ...args],
      {
        cwd,
        env: { ...inherited, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    }
    this.#ended = once(this.#child, 'close').then(([code, signal]) => ({
      code: code as number | null,
      signal: signal as NodeJS.Signals | null,
    }));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Waits for text in its output; gives the match. Fails when the process ends before. */
  async prints(pattern: RegExp, millis = 60_000): Promise<RegExpExecArray> {
    const deadline = Date.now() + millis;
    for (;;) {
      const match = pattern.exec(this.output);
      if (match) return match;
      if (this.#child.exitCode !== null || Date.now() > deadline) {
        throw new Error(`no ${String(pattern)} in: ${this.output}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  send(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Waits until it has ended. */
  ended(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    return this.#ended;
  }

  /** Whatever becomes of the test, no process stays. */
  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.send('SIGTERM');
    await this.#ended;
  }
}

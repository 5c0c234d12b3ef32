import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { CallMessage, Reply } from './serve.js';

const ENDS_WITHIN = 15_000;

/** A process that the bench started. */
export interface Running {
  readonly pid: number;
  hasEnded(): boolean;
  /** SIGTERM by default, SIGKILL when that does not help. Resolves when it has ended. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** A process that answers calls (serve.ts). */
export interface Callee extends Running {
  readonly ready: unknown;
  call<T>(name: string, options?: unknown): Promise<T>;
}

/** Runs a TypeScript file that calls `serve`; resolves when it is ready. */
export async function startChild(script: string, args: string[]): Promise<Callee> {
  const child = fork(script, args, {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let nextId = 0;
  const ready = await new Promise<unknown>((resolve, reject) => {
    child.on('message', (message: Reply) => {
      if ('ready' in message) {
        resolve(message.ready);
        return;
      }
      const call = waiting.get(message.id);
      waiting.delete(message.id);
      if ('error' in message) call?.reject(new Error(message.error));
      else call?.resolve(message.result);
    });
    child.on('exit', (code) => {
      const error = new Error(`${script} ended with code ${code}`);
      reject(error);
      for (const call of waiting.values()) call.reject(error);
      waiting.clear();
    });
  });
  return {
    ...running(child),
    ready,
    call: <T>(name: string, callOptions: unknown = {}) =>
      new Promise<T>((resolve, reject) => {
        const id = (nextId += 1);
        waiting.set(id, { resolve, reject });
        child.send({ id, name, options: callOptions } satisfies CallMessage);
      }),
  };
}

/** Runs a program that knows nothing of the bench. Its errors are shown, its output is not. */
export function startProgram(args: string[], env: Record<string, string>): Running {
  return running(
    spawn(process.execPath, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  );
}

function running(child: ChildProcess): Running {
  const exit = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return {
    pid: child.pid ?? 0,
    hasEnded,
    async stop(signal = 'SIGTERM') {
      if (hasEnded()) return;
      child.kill(signal);
      const late = await Promise.race([exit.then(() => false), delay(ENDS_WITHIN, true, { ref: false })]);
      if (late) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
    },
  };
}

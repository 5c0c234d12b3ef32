import { setTimeout as delay } from 'node:timers/promises';
import type { ActivityContext } from '../../index.js';

/** The worker loads this file a second time, apart from the tests: they meet in the global symbol table. */
const ABORTED = Symbol.for('a2a-temporal.test.aborted');
const counters = globalThis as unknown as Record<symbol, number | undefined>;

/** Calls of `work` that saw their signal abort, in this process. */
export function abortedCalls(): number {
  return counters[ABORTED] ?? 0;
}

/** Works for `millis`; a stubborn one takes no notice of its signal. */
export async function work(
  input: { millis: number; stubborn: boolean },
  { signal, idempotencyKey }: ActivityContext,
): Promise<string> {
  try {
    await delay(input.millis, undefined, input.stubborn ? {} : { signal });
  } catch (error) {
    counters[ABORTED] = abortedCalls() + 1;
    throw error;
  }
  return idempotencyKey;
}

export function explode(_input: object, _context: ActivityContext): Promise<never> {
  return Promise.reject(new Error('password=hunter2 at /etc/secret'));
}

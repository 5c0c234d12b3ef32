import { setTimeout as delay } from 'node:timers/promises';
import type { ActivityContext } from '../../index.js';
import { countAbortedCall } from '../support/aborted-calls.js';

/** Works for `millis`; a stubborn one takes no notice of its signal. */
export async function work(
  input: { millis: number; stubborn: boolean },
  { signal, idempotencyKey }: ActivityContext,
): Promise<string> {
  try {
    await delay(input.millis, undefined, input.stubborn ? {} : { signal });
  } catch (error) {
    countAbortedCall();
    throw error;
  }
  return idempotencyKey;
}

export function explode(_input: object, _context: ActivityContext): Promise<never> {
  return Promise.reject(new Error('password=hunter2 at /etc/secret'));
}

import { setTimeout as delay } from 'node:timers/promises';
import type { ActivityContext, Message } from '../../index.js';
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

/** Characters of text in a message, big parts included. */
export async function size(input: Message, { read }: ActivityContext): Promise<number> {
  const { parts } = await read(input);
  return parts.reduce((sum, part) => sum + ('text' in part ? part.text.length : 0), 0);
}

export function explode(_input: object, _context: ActivityContext): Promise<never> {
  return Promise.reject(new Error('password=hunter2 at /etc/secret'));
}

import { randomUUID } from 'node:crypto';
import { prefixedId } from '../core/ids.js';
import type { Stamp } from '../core/record.js';

/** One moment of the journal's clock, in milliseconds since the epoch. */
export function stampAt(now: number): Stamp {
  return { time: new Date(now).toISOString(), id: (prefix) => prefixedId(prefix, now, randomUUID()) };
}

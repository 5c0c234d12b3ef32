import { setImmediate as breathe } from 'node:timers/promises';
import type { ActivityContext } from '../index.js';

/**
 * Activities are ordinary functions that may do I/O and take their time. Temporal tries them again when
 * they fail or their worker dies, so write them to be safe to repeat.
 *
 * Counts the primes in `[from, to)`.
 */
export async function countPrimes(
  { from, to }: { from: number; to: number },
  { signal }: ActivityContext,
): Promise<number> {
  let primes = 0;
  for (let n = Math.max(from, 2); n < to; n++) {
    if (isPrime(n)) primes += 1;
    if (n % 1_000 === 0) {
      // Let others run, and stop when the task is cancelled.
      await breathe();
      signal.throwIfAborted();
    }
  }
  return primes;
}

function isPrime(n: number): boolean {
  for (let divisor = 2; divisor * divisor <= n; divisor++) if (n % divisor === 0) return false;
  return true;
}

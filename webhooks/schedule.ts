/** When a receiver that failed is tried again; milliseconds. */
export interface Schedule {
  /** After the first failure; each pause is twice the one before. */
  firstPause: number;
  /** No pause is longer, not even where the receiver asks for it. */
  longestPause: number;
  /** A receiver that has failed for this long is given up. */
  giveUpAfter: number;
}

export const DEFAULT_SCHEDULE: Schedule = {
  firstPause: 1_000,
  longestPause: 3_600_000,
  giveUpAfter: 24 * 3_600_000,
};

/** Spread, so that receivers that failed together do not come back together. */
const SPREAD = 0.1;

export interface FailedAttempt {
  /** Failures in a row before this one. */
  attempts: number;
  /** When the first of them was; absent where this is it. */
  failingSince: number | undefined;
  now: number;
  /** What the receiver asks for. */
  retryAfter?: number | undefined;
}

/** Milliseconds until the next attempt; undefined where there is none. The last one is at the very end. */
export function nextPause(
  { firstPause, longestPause, giveUpAfter }: Schedule,
  { attempts, failingSince, now, retryAfter = 0 }: FailedAttempt,
  random = Math.random,
): number | undefined {
  const left = (failingSince ?? now) + giveUpAfter - now;
  if (left <= 0) return undefined;
  const doubled = Math.min(firstPause * 2 ** Math.min(attempts, 40), longestPause);
  const spread = doubled * (1 - SPREAD + 2 * SPREAD * random());
  return Math.round(Math.min(Math.max(spread, retryAfter), longestPause, left));
}

import { execFileSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';

/** The value below which the given share (0 to 1) of the values lies; NaN of none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

export interface Pair {
  ours: number;
  peer: number;
  /** Median of the rounds' own ratios, so that a machine that slows down slows both. */
  ratio: number;
}

/**
 * Measures two things in turn, A B A B, and compares them round by round. Which of them comes first changes
 * from round to round. Ours and theirs are medians.
 */
export async function paired(
  rounds: number,
  measureOurs: () => Promise<number>,
  measurePeer: () => Promise<number>,
): Promise<Pair> {
  const ours: number[] = [];
  const peer: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    if (round % 2 === 0) ours.push(await measureOurs());
    peer.push(await measurePeer());
    if (round % 2 === 1) ours.push(await measureOurs());
  }
  const ratios = ours.map((value, round) => value / (peer[round] ?? NaN));
  return { ours: median(ours), peer: median(peer), ratio: median(ratios) };
}

/** Resident memory of a product of the bench, in bytes, after it has collected its garbage (collector.mjs). */
export async function heldBytes(pid: number): Promise<number> {
  for (let round = 0; round < 2; round += 1) {
    process.kill(pid, 'SIGUSR2');
    await delay(1_000);
  }
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024;
}

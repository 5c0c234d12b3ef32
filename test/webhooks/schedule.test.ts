import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEFAULT_SCHEDULE, nextPause } from '../../webhooks/schedule.js';

const HOUR = 3_600_000;

test('C05 pauses double from a second to an hour, for a day', () => {
  const pauses: number[] = [];
  for (let now = 0; ;) {
    const failingSince = pauses.length === 0 ? undefined : 0;
    const pause = nextPause(DEFAULT_SCHEDULE, { attempts: pauses.length, failingSince, now }, () => 0.5);
    if (pause === undefined) break;
    pauses.push(pause);
    now += pause;
  }
  expect(pauses.slice(0, 5)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
  expect(Math.max(...pauses)).toBe(HOUR);
  expect(pauses.reduce((sum, pause) => sum + pause)).toBe(24 * HOUR);
  expect(pauses.length).toBeLessThan(40);
});

test('C05 a pause is never longer than the longest, nor reaches past the end', () => {
  const millis = fc.integer({ min: 1, max: 48 * HOUR });
  fc.assert(
    fc.property(
      fc.record({ firstPause: millis, longestPause: millis, giveUpAfter: millis }),
      fc.nat(10_000),
      fc.nat(48 * HOUR),
      fc.option(fc.nat(96 * HOUR), { nil: undefined }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (schedule, attempts, now, retryAfter, random) => {
        const failed = { attempts, failingSince: 0, now, retryAfter };
        const pause = nextPause(schedule, failed, () => random);
        if (now >= schedule.giveUpAfter) expect(pause).toBeUndefined();
        else {
          expect(pause).toBeLessThanOrEqual(schedule.longestPause);
          expect(now + pause!).toBeLessThanOrEqual(schedule.giveUpAfter);
          expect(pause).toBeGreaterThanOrEqual(0);
        }
      },
    ),
  );
});

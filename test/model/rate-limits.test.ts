import { expect, test } from 'vitest';
import { retryAfterMillis, waitMillis } from '../../activities/model/rate-limits.js';

const now = Date.UTC(2026, 0, 1);

test('E02 Retry-After in all its forms', () => {
  expect(retryAfterMillis({ 'retry-after': '20' }, now)).toBe(20_000);
  expect(retryAfterMillis({ 'retry-after': '0.5' }, now)).toBe(500);
  expect(retryAfterMillis({ 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT' }, now)).toBe(60_000);
  expect(retryAfterMillis({ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, now)).toBe(0);
  expect(retryAfterMillis({ 'retry-after-ms': '250', 'retry-after': '1' }, now)).toBe(250);
  for (const value of ['', 'soon', '-5'])
    expect(retryAfterMillis({ 'retry-after': value }, now) ?? 0).toBe(0);
  expect(retryAfterMillis({}, now)).toBeUndefined();
});

test.each<[name: string, headers: Record<string, string>, millis: number | undefined]>([
  ['nothing', {}, undefined],
  ['Retry-After before all else', { 'retry-after': '2', 'x-ratelimit-reset-tokens': '6m0s' }, 2_000],
  ['OpenAI, a span', { 'x-ratelimit-reset-requests': '1h2m3.5s' }, 3_723_500],
  ['OpenAI, less than a second', { 'x-ratelimit-reset-requests': '120ms' }, 120],
  ['a number of seconds', { 'x-ratelimit-reset-requests': '7' }, 7_000],
  [
    'OpenAI, the limit that is used up',
    {
      'x-ratelimit-remaining-requests': '59',
      'x-ratelimit-reset-requests': '9m0s',
      'x-ratelimit-remaining-tokens': '0',
      'x-ratelimit-reset-tokens': '6s',
    },
    6_000,
  ],
  [
    'OpenAI, fewer tokens left than were asked for',
    {
      'x-ratelimit-remaining-requests': '59',
      'x-ratelimit-reset-requests': '1s',
      'x-ratelimit-remaining-tokens': '12',
      'x-ratelimit-reset-tokens': '6s',
    },
    6_000,
  ],
  [
    'Anthropic, several limits used up',
    {
      'anthropic-ratelimit-input-tokens-remaining': '0',
      'anthropic-ratelimit-input-tokens-reset': '2026-01-01T00:00:30Z',
      'anthropic-ratelimit-output-tokens-remaining': '0',
      'anthropic-ratelimit-output-tokens-reset': '2026-01-01T00:01:00Z',
    },
    60_000,
  ],
  ['a time that is past', { 'anthropic-ratelimit-tokens-reset': '2025-12-31T00:00:00Z' }, 0],
  ['junk', { 'x-ratelimit-reset-tokens': 'soon', 'anthropic-ratelimit-tokens-reset': 'later' }, undefined],
])('E02 the wait that headers tell: %s', (_name, headers, millis) => {
  expect(waitMillis(headers, now)).toBe(millis);
});

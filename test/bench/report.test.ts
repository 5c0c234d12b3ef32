import { expect, test } from 'vitest';
import { paired, percentile } from '../../bench/measure.js';
import { misses, toMarkdown, type Report } from '../../bench/report.js';
import { isMet, type Figure } from '../../bench/scenario.js';

const figure = (rest: Partial<Figure>): Figure => ({ what: 'p50', unit: 'ms', ours: 4, ...rest });
const report = (figures: Figure[], error?: string): Report => ({
  date: '2030-01-01',
  machine: 'a machine',
  quick: false,
  results: [
    { scenario: { name: 'x', title: 'X', limit: 'the speed of light' }, figures, ...(error && { error }) },
  ],
});

test('F11 percentiles of few, many and no values', () => {
  const values = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect([percentile(values, 0.5), percentile(values, 0.99), percentile(values, 1)]).toEqual([51, 100, 100]);
  expect(percentile([7], 0.99)).toBe(7);
  expect(percentile([], 0.5)).toBeNaN();
});

test('F11 pairs are measured in turn, first one first and then the other, and compared by round', async () => {
  const order: string[] = [];
  const measure = (name: string, values: number[]) => async () => {
    order.push(name);
    return values.shift() ?? NaN;
  };
  const pair = await paired(3, measure('ours', [1, 20, 3]), measure('peer', [2, 40, 3]));
  expect(order.join(' ')).toBe('ours peer peer ours ours peer');
  expect(pair).toEqual({ ours: 3, peer: 3, ratio: 0.5 });
});

test('F11 a target is met at its bound and speaks of the ratio where there is one', () => {
  expect(isMet(figure({ target: { atMost: 4 } }))).toBe(true);
  expect(isMet(figure({ target: { atMost: 3.9 } }))).toBe(false);
  expect(isMet(figure({ ratio: 0.5, target: { atMost: 0.5 } }))).toBe(true);
  expect(isMet(figure({ ratio: 0.5, target: { atLeast: 0.6 } }))).toBe(false);
  expect(isMet(figure({ ours: NaN, target: { atMost: 4 } }))).toBe(false);
  expect(isMet(figure({}))).toBeUndefined();
});

test('F11 the report shows figure, peer, ratio, target and verdict side by side', () => {
  const markdown = toMarkdown(
    report([figure({ peer: { name: 'theirs', value: 2 }, ratio: 2, target: { atMost: 3 } })]),
  );
  expect(markdown).toContain('| p50 | 4 ms | 2 ms (theirs) | 2× | ≤ 3× | hit |');
  expect(markdown).toContain('2030-01-01 · a machine');
  expect(markdown).not.toContain('the speed of light');
});

test('F11 a missed target is shown as missed, with what limits it, and counted', () => {
  const missed = report([figure({ target: { atMost: 3 } }), figure({ target: { atMost: 5 } })]);
  expect(toMarkdown(missed)).toContain('**missed**');
  expect(toMarkdown(missed)).toContain('What limits it: the speed of light');
  expect(misses(missed)).toBe(1);
  expect(misses(report([], 'it broke'))).toBe(1);
  expect(toMarkdown(report([], 'it broke'))).toContain('Broke off: it broke');
});

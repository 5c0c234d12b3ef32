import { expect, test } from 'vitest';
import { Slots } from '../../dispatch/slots.js';

test('F05 no more than the limit run at once, in order, and a failure frees its slot', async () => {
  const slots = new Slots(2);
  let running = 0;
  let most = 0;
  const began: number[] = [];
  const work = (n: number) =>
    slots.run(async () => {
      began.push(n);
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
      if (n === 1) throw new Error('one');
    });
  const results = await Promise.allSettled([0, 1, 2, 3, 4, 5].map(work));
  expect(most).toBe(2);
  expect(began).toEqual([0, 1, 2, 3, 4, 5]);
  expect(results.map(({ status }) => status === 'rejected')).toEqual([
    false,
    true,
    false,
    false,
    false,
    false,
  ]);
});

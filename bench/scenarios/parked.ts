import { setTimeout as delay } from 'node:timers/promises';
import type { SendResult } from '../load/unary.js';
import { median, paired, heldBytes } from '../measure.js';
import type { Scenario } from '../scenario.js';

export const parked: Scenario = {
  name: 'parked',
  title: '10,000 tasks parked in INPUT_REQUIRED',
  limit: 'A run that the worker no longer holds in its cache is replayed from its history first.',
  async run(stack) {
    const load = await stack.load();
    const product = await stack.product('start');
    const url = product.url('ask');
    const park = async (count: number, concurrency = 16) =>
      (
        await load.call<SendResult>('send', {
          url,
          text: 'hello',
          expect: 'TASK_STATE_INPUT_REQUIRED',
          concurrency,
          count,
        })
      ).taskIds;
    const resume = async (taskIds: string[]) =>
      median(
        (
          await load.call<SendResult>('send', {
            url,
            text: 'this one',
            expect: 'TASK_STATE_COMPLETED',
            concurrency: 1,
            taskIds,
          })
        ).latencies,
      );

    // Fills the worker's cache and warms all paths.
    await resume(await park(stack.size(100, 5)));
    await park(stack.size(1_000, 5));
    const batch = stack.size(30, 3);
    const alone = await resume(await park(batch, 1));
    await delay(stack.size(5_000, 100));
    const before = await heldBytes(product.pid);

    const waiting = await park(stack.size(10_000, 20));
    await delay(stack.size(5_000, 100));
    const growth = (await heldBytes(product.pid)) - before;

    // The oldest of them left the worker's cache long ago; the newest are in it.
    const pair = await paired(
      stack.size(5, 1),
      () => resume(waiting.splice(0, batch)),
      async () => resume(await park(batch, 1)),
    );
    return [
      { what: 'growth of memory', unit: 'MB', ours: growth / 1_048_576, target: { atMost: 150 } },
      {
        what: 'resuming one of them, p50',
        unit: 'ms',
        ours: pair.ours,
        peer: { name: 'ours, just parked', value: pair.peer },
        ratio: pair.ratio,
        target: { atMost: 1.5 },
      },
      { what: 'resuming before they were parked, p50', unit: 'ms', ours: alone },
    ];
  },
};

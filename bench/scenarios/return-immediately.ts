import type { LoopResult } from '../load/unary.js';
import { median, paired } from '../measure.js';
import type { Scenario } from '../scenario.js';

export const returnImmediately: Scenario = {
  name: 'return-immediately',
  title: 'Send with returnImmediately, trivial agent',
  limit: 'The answer waits for one durable commit, and the previous tasks still run on the same processors.',
  async run(stack) {
    const load = await stack.load();
    const js = await stack.jsServer();
    const product = await stack.product('start');
    const sends = (url: unknown, count: number) => async () =>
      median(
        (
          await load.call<LoopResult>('send', {
            url,
            text: 'hello',
            expect: 'TASK_STATE_',
            returnImmediately: true,
            concurrency: 1,
            count,
          })
        ).latencies,
      );
    const url = product.url('trivial');
    await sends(url, stack.size(300, 5))();
    await sends(js.ready, stack.size(300, 5))();
    const count = stack.size(200, 10);
    const pair = await paired(stack.size(7, 2), sends(url, count), sends(js.ready, count));
    return [
      {
        what: 'p50, one sender',
        unit: 'ms',
        ours: pair.ours,
        peer: { name: 'JS server in memory', value: pair.peer },
        ratio: pair.ratio,
        target: { atMost: 3 },
      },
    ];
  },
};

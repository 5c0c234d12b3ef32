import type { SendResult } from '../load/unary.js';
import { median, paired, type Pair } from '../measure.js';
import type { Figure, Scenario } from '../scenario.js';

/** Milliseconds between two sends: a pace that the product can keep up with for ever. */
const REST = 20;

export const returnImmediately: Scenario = {
  name: 'return-immediately',
  title: 'Send with returnImmediately, trivial agent',
  limit: 'The answer waits for one durable commit, and the tasks sent before run in the same process.',
  async run(stack) {
    const load = await stack.load();
    const js = await stack.jsServer();
    const product = await stack.product('start');
    const ours = product.url('trivial');
    const theirs = js.ready;

    const send = async (url: unknown, extent: { count: number; rest?: number }) => {
      const { latencies, taskIds } = await load.call<SendResult>('send', {
        url,
        text: 'hello',
        expect: 'TASK_STATE_',
        returnImmediately: true,
        concurrency: 1,
        ...extent,
      });
      await load.call('untilCompleted', { url, taskIds });
      return median(latencies);
    };
    const compare = (rounds: number, extent: { count: number; rest?: number }) =>
      paired(
        rounds,
        () => send(ours, extent),
        () => send(theirs, extent),
      );

    await send(ours, { count: stack.size(300, 5) });
    await send(theirs, { count: stack.size(300, 5) });
    const steady = await compare(stack.size(5, 1), { count: stack.size(200, 5), rest: REST });
    const flatOut = await compare(stack.size(3, 1), { count: stack.size(200, 5) });
    const figure = (what: string, pair: Pair): Figure => ({
      what: `p50, one sender, ${what}`,
      unit: 'ms',
      ours: pair.ours,
      peer: { name: 'JS server in memory', value: pair.peer },
      ratio: pair.ratio,
    });
    return [
      { ...figure(`resting ${REST} ms between sends`, steady), target: { atMost: 3 } },
      figure('without rest, faster than tasks complete', flatOut),
    ];
  },
};

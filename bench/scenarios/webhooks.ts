import { setTimeout as delay } from 'node:timers/promises';
import type { Callee } from '../children.js';
import type { SendResult } from '../load/unary.js';
import { median, paired } from '../measure.js';
import type { Scenario } from '../scenario.js';
import { sharedNow } from '../serve.js';

/** Of a trivial task: WORKING, its artifact, COMPLETED. */
const EVENTS = 3;

export const webhooks: Scenario = {
  name: 'webhooks',
  title: 'Webhooks to a receiver on the same machine',
  limit:
    'The receiver and the load run on the same two processors: each task is three requests more, sent, received and recorded.',
  async run(stack) {
    const load = await stack.load();
    const receiver = await stack.receiver();
    const at = (path: string) => ({ push: `${String(receiver.ready)}${path}` });
    const product = await stack.product('start', { WEBHOOKS_ALLOW_PRIVATE: 'true' });
    const send = (extent: object) =>
      load.call<SendResult>('send', {
        url: product.url('trivial'),
        text: 'hello',
        expect: 'TASK_STATE_COMPLETED',
        ...extent,
      });
    /** Until the last delivery of the last task has arrived. */
    const watched = async (extent: object) => {
      await receiver.call('reset');
      const began = sharedNow();
      const sent = await send({ ...extent, ...at('/count') });
      const arrivals = await untilArrived(receiver, EVENTS * sent.taskIds.length);
      return { ...sent, perSecond: sent.taskIds.length / ((arrivals.at(-1)! - began) / 1_000) };
    };
    await watched({ concurrency: 8, count: stack.size(400, 10) });

    const busy = { concurrency: 16, seconds: stack.size(5, 0.5) };
    const cost = await paired(
      stack.size(5, 1),
      async () => (await watched(busy)).perSecond,
      async () => (await send(busy)).perSecond,
    );
    const alone = { concurrency: 1, count: stack.size(100, 5) };
    const calm = await paired(
      stack.size(5, 1),
      async () => median((await watched(alone)).latencies),
      async () => median((await send(alone)).latencies),
    );

    await receiver.call('reset');
    await load.call('send', {
      url: product.url('burst'),
      text: String(stack.size(2_000, 20)),
      expect: 'TASK_STATE_COMPLETED',
      concurrency: 1,
      count: 1,
      ...at('/hold'),
    });
    const backlog = stack.size(2_000, 20);
    const released = await receiver.call<number>('release');
    const arrivals = await untilArrived(receiver, backlog);
    const drained = (backlog - 1) / ((arrivals[backlog - 1]! - released) / 1_000);

    const beforeHang = median((await watched(alone)).latencies);
    await send({ concurrency: 16, count: stack.size(100, 5), ...at('/hang') });
    const besideHang = median((await watched(alone)).latencies);

    return [
      {
        what: 'throughput, 16 senders, each task with a webhook',
        unit: 'tasks/s',
        ours: cost.ours,
        peer: { name: 'the same without', value: cost.peer },
        ratio: cost.ratio,
        // 30 % more cost.
        target: { atLeast: 1 / 1.3 },
      },
      {
        what: 'p50, one sender, each task with a webhook',
        unit: 'ms',
        ours: calm.ours,
        peer: { name: 'the same without', value: calm.peer },
        ratio: calm.ratio,
        target: { atMost: 1.3 },
      },
      {
        what: `one config’s backlog of ${backlog} events`,
        unit: 'deliveries/s',
        ours: drained,
        target: { atLeast: 500 },
      },
      {
        what: 'p50, one sender, beside 100 deliveries that hang',
        unit: 'ms',
        ours: besideHang,
        peer: { name: 'before they hung', value: beforeHang },
        ratio: besideHang / beforeHang,
        target: { atMost: 1.1 },
      },
    ];
  },
};

async function untilArrived(receiver: Callee, count: number): Promise<number[]> {
  for (;;) {
    const arrivals = await receiver.call<number[]>('arrivals');
    if (arrivals.length >= count) return arrivals;
    await delay(50);
  }
}

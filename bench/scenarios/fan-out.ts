import { setTimeout as delay } from 'node:timers/promises';
import type { SendResult } from '../load/unary.js';
import { heldBytes } from '../measure.js';
import type { Scenario } from '../scenario.js';

const PER_SECOND = 30;

export const fanOut: Scenario = {
  name: 'fan-out',
  title: 'One task, 1,000 subscribers, 30 events/s',
  limit: 'An open HTTP response of Node.js alone takes most of the memory.',
  async run(stack) {
    const load = await stack.load();
    const product = await stack.product('start', await stack.tokenModel());
    const url = product.url('tokens');
    const count = stack.size(1_000, 20);

    const { taskIds } = await load.call<SendResult>('send', {
      url,
      text: `wait tokens=${stack.size(600, 30)} perSecond=${PER_SECOND}`,
      expect: 'TASK_STATE_INPUT_REQUIRED',
      concurrency: 1,
      count: 1,
    });
    const taskId = taskIds[0] ?? '';
    const open = (subscribers: number) => load.call('openSubscribers', { url, taskId, count: subscribers });

    // What the first connections allocate once, for the code and the pools, is no subscriber's own.
    await open(Math.min(100, count));
    await load.call('closeSubscribers');
    await delay(stack.size(3_000, 100));
    const before = await heldBytes(product.pid);
    await open(count);
    await delay(stack.size(5_000, 100));
    const perSubscriber = ((await heldBytes(product.pid)) - before) / count;

    await load.call<SendResult>('send', {
      url,
      text: 'now',
      expect: 'TASK_STATE_COMPLETED',
      concurrency: 1,
      taskIds: [taskId],
    });
    const result = await load.call<{ complete: number; total: number }>('subscribersResult');
    return [
      {
        what: 'subscribers that saw every event once and in order',
        unit: `of ${result.total.toLocaleString('en')}`,
        ours: result.complete,
        target: { atLeast: result.total },
      },
      {
        what: 'memory of an idle subscriber',
        unit: 'KB',
        ours: perSubscriber / 1_024,
        target: { atMost: 50 },
      },
    ];
  },
};

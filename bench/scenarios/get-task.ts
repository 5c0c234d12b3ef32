import { getTask } from '../load/requests.js';
import type { LoopResult, SendResult } from '../load/unary.js';
import { paired } from '../measure.js';
import type { Scenario } from '../scenario.js';

const TASKS = 100;

export const getTaskScenario: Scenario = {
  name: 'get-task',
  title: 'GetTask of completed tasks, 16 callers',
  limit: 'Each answer reads its row in SQLite first, so that no process shows an old state.',
  async run(stack) {
    const load = await stack.load();
    const js = await stack.jsServer();
    const product = await stack.product('start');

    const getter = async (url: unknown) => {
      const { taskIds } = await load.call<SendResult>('send', {
        url,
        text: 'hello',
        expect: 'TASK_STATE_COMPLETED',
        concurrency: 4,
        count: stack.size(TASKS, 5),
      });
      const bodies = taskIds.map(getTask);
      return async (seconds: number) =>
        (
          await load.call<LoopResult>('call', {
            url,
            bodies,
            expect: 'TASK_STATE_COMPLETED',
            concurrency: 16,
            seconds,
          })
        ).perSecond;
    };
    const ours = await getter(product.url('trivial'));
    const theirs = await getter(js.ready);
    await ours(stack.size(2, 0.2));
    await theirs(stack.size(2, 0.2));
    const seconds = stack.size(3, 0.2);
    const pair = await paired(
      stack.size(7, 1),
      () => ours(seconds),
      () => theirs(seconds),
    );
    return [
      {
        what: 'throughput',
        unit: 'requests/s',
        ours: pair.ours,
        peer: { name: 'JS server in memory', value: pair.peer },
        ratio: pair.ratio,
        target: { atLeast: 0.7 },
      },
    ];
  },
};

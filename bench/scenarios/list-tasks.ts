import { join } from 'node:path';
import { listTasks } from '../load/requests.js';
import type { LoopResult } from '../load/unary.js';
import { median, paired } from '../measure.js';
import type { Figure, Scenario } from '../scenario.js';

const AGENT = 'trivial';

export const listTasksScenario: Scenario = {
  name: 'list-tasks',
  title: 'ListTasks at 100,000 tasks against 1,000',
  limit: 'More tasks make deeper indexes and a colder page cache.',
  async run(stack) {
    const load = await stack.load();
    const server = async (tasks: number) => {
      const data = join(stack.folder, `journal-${tasks}`);
      const contextId = await stack.seed(join(data, 'journal.db'), tasks, AGENT);
      const api = await stack.product('api', { DATA_DIR: data });
      return { url: api.url(AGENT), contextId };
    };
    const many = await server(stack.size(100_000, 400));
    const few = await server(stack.size(1_000, 100));

    const queries: [what: string, params: (contextId: string) => Record<string, unknown>][] = [
      ['first page', () => ({})],
      ['by state', () => ({ status: 'TASK_STATE_COMPLETED' })],
      ['by context', (contextId) => ({ contextId })],
    ];
    const figures: Figure[] = [];
    for (const [what, params] of queries) {
      const p50 = ({ url, contextId }: typeof many) => {
        const bodies = [listTasks(params(contextId))];
        return async () =>
          median(
            (
              await load.call<LoopResult>('call', {
                url,
                bodies,
                expect: '"totalSize"',
                concurrency: 1,
                count: stack.size(200, 10),
              })
            ).latencies,
          );
      };
      await p50(many)();
      await p50(few)();
      const pair = await paired(stack.size(5, 1), p50(many), p50(few));
      figures.push({
        what: `p50, ${what}`,
        unit: 'ms',
        ours: pair.ours,
        peer: { name: 'ours, 1,000 tasks', value: pair.peer },
        ratio: pair.ratio,
        target: { atMost: 2 },
      });
    }
    return figures;
  },
};

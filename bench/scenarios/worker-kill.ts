import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '../measure.js';
import type { Scenario } from '../scenario.js';
import { sharedNow } from '../serve.js';

export const workerKill: Scenario = {
  name: 'worker-kill',
  title: 'SIGKILL of the worker in mid-stream, restarted at once',
  limit: 'The new worker loads its code first; then the heartbeat timeout of the lost activity has to pass.',
  async run(stack) {
    const load = await stack.load();
    const api = await stack.product('api');
    const model = await stack.tokenModel();
    let worker = await stack.product('worker', model);
    const pauses: number[] = [];
    for (let round = 0; round < stack.size(5, 1); round += 1) {
      await load.call('watch', { url: api.url('tokens'), text: 'tokens=300 perSecond=30' });
      await untilEvents(() => load.call<number[]>('watched'), 30);
      await worker.stop('SIGKILL');
      const killed = sharedNow();
      worker = await stack.product('worker', model);
      const arrivals = await load.call<number[]>('watched', { whole: true });
      const next = arrivals.find((arrival) => arrival > killed);
      if (next === undefined) throw new Error('the stream ended without another event');
      pauses.push(next - killed);
    }
    return [
      { what: 'to the next event, median', unit: 's', ours: percentile(pauses, 0.5) / 1_000 },
      {
        what: `to the next event, longest of ${pauses.length}`,
        unit: 's',
        ours: Math.max(...pauses) / 1_000,
        target: { atMost: 5 },
      },
    ];
  },
};

async function untilEvents(read: () => Promise<number[]>, count: number): Promise<void> {
  while ((await read()).length < count) await delay(50);
}

import type { Callee } from '../children.js';
import type { LoopResult } from '../load/unary.js';
import { median, paired } from '../measure.js';
import type { Figure, Scenario } from '../scenario.js';
import type { Product, Stack } from '../stack.js';

const BARE = 'bare Temporal workflow';

export const blockingSend: Scenario = {
  name: 'blocking-send',
  title: 'Blocking send, trivial agent',
  limit:
    'Both processors are busy with Node.js and Temporal in equal parts, 6 to 10 ms a task each; a single send waits for Temporal to end the task before, and apart, without eager start, for its way through the task queue (docs/decisions/0012-what-a-task-costs.md).',
  async run(stack) {
    const bare = await stack.bare();
    const load = await stack.load();

    const embedded = await stack.product('start');
    const sender = senders(load, embedded, bare);
    await sender.warmUp(stack);
    const eager = await sender.latency(stack);
    const at16 = await sender.throughput(stack, 16);
    const at32 = await sender.ours({ concurrency: 32, seconds: stack.size(5, 0.5) });
    const at64 = await sender.throughput(stack, 64);
    const peak = Math.max(at16.ours, at32.perSecond, at64.ours);
    await embedded.stop();

    const apartApi = await stack.product('api');
    await stack.product('worker');
    const apart = senders(load, apartApi, bare);
    await apart.warmUp(stack);
    const separate = await apart.latency(stack);

    const throughput = (concurrency: number, pair: typeof at16): Figure => ({
      what: `throughput, ${concurrency} senders`,
      unit: 'tasks/s',
      ours: pair.ours,
      peer: { name: BARE, value: pair.peer },
      ratio: pair.ratio,
      target: { atLeast: 0.95 },
    });
    const latency = (what: string, pair: typeof eager, atMost: number): Figure => ({
      what: `p50, one sender, ${what}`,
      unit: 'ms',
      ours: pair.ours,
      peer: { name: BARE, value: pair.peer },
      ratio: pair.ratio,
      target: { atMost },
    });
    return [
      latency('one process, eager start', eager, 0.85),
      latency('api and worker apart', separate, 1.1),
      throughput(16, at16),
      throughput(64, at64),
      {
        what: 'throughput with 64 senders, of its own peak',
        unit: 'tasks/s',
        ours: at64.ours,
        ratio: at64.ours / peak,
        target: { atLeast: 0.9 },
      },
    ];
  },
};

function senders(load: Callee, product: Product, bare: Callee) {
  const url = product.url('trivial');
  const ours = (extent: object) =>
    load.call<LoopResult>('send', { url, text: 'hello', expect: 'TASK_STATE_COMPLETED', ...extent });
  const theirs = (extent: object) => bare.call<LoopResult>('execute', extent);
  return {
    ours,
    async warmUp(stack: Stack) {
      const extent = { concurrency: 8, count: stack.size(400, 10) };
      await ours(extent);
      await theirs(extent);
    },
    latency(stack: Stack) {
      const extent = { concurrency: 1, count: stack.size(100, 5) };
      return paired(
        stack.size(7, 2),
        async () => median((await ours(extent)).latencies),
        async () => median((await theirs(extent)).latencies),
      );
    },
    throughput(stack: Stack, concurrency: number) {
      const extent = { concurrency, seconds: stack.size(5, 0.5) };
      return paired(
        stack.size(5, 1),
        async () => (await ours(extent)).perSecond,
        async () => (await theirs(extent)).perSecond,
      );
    },
  };
}

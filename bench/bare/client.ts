import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { serve } from '../serve.js';

const [address = '', taskQueue = ''] = process.argv.slice(2);
const client = new Client({ connection: await Connection.connect({ address }) });

/** Starts workflows and waits for their results, in a closed loop like the load generator's. */
async function execute(options: { concurrency: number; count?: number; seconds?: number }) {
  const latencies: number[] = [];
  const started = performance.now();
  const deadline = started + (options.seconds ?? Infinity) * 1_000;
  let left = options.count ?? Infinity;
  const caller = async () => {
    while (left > 0 && performance.now() < deadline) {
      left -= 1;
      const before = performance.now();
      await client.workflow.execute('bareWorkflow', {
        taskQueue,
        workflowId: `bare-${randomUUID()}`,
        workflowTaskTimeout: '3s',
        args: ['hello'],
      });
      latencies.push(performance.now() - before);
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, caller));
  return { latencies, perSecond: latencies.length / ((performance.now() - started) / 1_000) };
}

serve({ execute });

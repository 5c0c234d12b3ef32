import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { WorkflowStreamClient } from '@temporalio/workflow-streams/client';
import { serve, sharedNow } from '../serve.js';

const [address = '', taskQueue = ''] = process.argv.slice(2);
const client = new Client({ connection: await Connection.connect({ address }) });

/** As `readTokens` of the load generator: milliseconds from each token's making to its arrival here. */
async function readTokens(options: { streams: number; tokens: number; perSecond: number; warmup: number }) {
  const latencies: number[] = [];
  await Promise.all(
    Array.from({ length: options.streams }, async (_, index) => {
      await new Promise((resolve) => setTimeout(resolve, (index * 1_000) / options.streams));
      const workflowId = `tokens-${randomUUID()}`;
      await client.workflow.start('tokenWorkflow', {
        workflowId,
        taskQueue,
        args: [options.tokens, options.perSecond],
      });
      let count = 0;
      for await (const { data } of WorkflowStreamClient.create(client, workflowId)
        .topic<number>('tokens')
        .subscribe(0, { pollCooldown: '1 millisecond' })) {
        count += 1;
        if (count > options.warmup) latencies.push(sharedNow() - data);
        if (count === options.tokens) break;
      }
      await client.workflow.getHandle(workflowId).result();
    }),
  );
  return { latencies, tokens: options.streams * options.tokens };
}

serve({ readTokens });

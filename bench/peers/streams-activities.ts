import { setTimeout as delay } from 'node:timers/promises';
import { WorkflowStreamClient } from '@temporalio/workflow-streams/client';
import { sharedNow } from '../serve.js';

/** Publishes the time, at a steady pace. The package's own batches of 2 seconds are set to 100 ms. */
export async function produce(tokens: number, perSecond: number): Promise<void> {
  const client = WorkflowStreamClient.fromWithinActivity({ batchInterval: '100 milliseconds' });
  const topic = client.topic<number>('tokens');
  const started = performance.now();
  for (let token = 1; token <= tokens; token += 1) {
    await delay(started + (token * 1_000) / perSecond - performance.now());
    topic.publish(sharedNow());
  }
  await client[Symbol.asyncDispose]();
}

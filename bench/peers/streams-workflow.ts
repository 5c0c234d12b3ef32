import { proxyActivities } from '@temporalio/workflow';
import { WorkflowStream } from '@temporalio/workflow-streams/workflow';
import type { produce } from './streams-activities.js';

const activities = proxyActivities<{ produce: typeof produce }>({ startToCloseTimeout: '10 minutes' });

/** Hosts a stream that its activity publishes to, as the package's README shows. */
export async function tokenWorkflow(tokens: number, perSecond: number): Promise<void> {
  new WorkflowStream();
  await activities.produce(tokens, perSecond);
}

import { proxyLocalActivities } from '@temporalio/workflow';
import type { answer } from './activities.js';

const activities = proxyLocalActivities<{ answer: typeof answer }>({ startToCloseTimeout: '10 seconds' });

/** The least that a durable answer costs with Temporal alone: start, one local activity, result. */
export async function bareWorkflow(text: string): Promise<string> {
  return activities.answer(text);
}

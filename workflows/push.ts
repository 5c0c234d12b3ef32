import {
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { WebhookActivities } from '../activities/webhooks.js';
import { PUSH_SIGNAL, pushTaskQueue } from '../core/task-workflow.js';

const wake = defineSignal(PUSH_SIGNAL);

/**
 * Tries the receiver of a webhook again until it has caught up, is given up, or its config is gone. When to try
 * is the journal's to say, so a signal that comes too often does no harm; between two attempts nothing but
 * Temporal's timer runs.
 */
export async function pushWorkflow(pushId: string): Promise<void> {
  const { retryWebhook } = proxyActivities<WebhookActivities>({
    taskQueue: pushTaskQueue(workflowInfo().taskQueue),
    // A long backlog takes as long as it takes; a worker that died is noticed by its heartbeat.
    startToCloseTimeout: '24 hours',
    heartbeatTimeout: '5 seconds',
    retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
  });
  let woken = false;
  setHandler(wake, () => {
    woken = true;
  });
  for (;;) {
    woken = false;
    const { afterMillis } = await retryWebhook(pushId);
    if (afterMillis !== undefined) await condition(() => woken, afterMillis);
    // Woken after it had caught up: it may have failed once more.
    else if (!woken) return;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof pushWorkflow>(pushId);
  }
}

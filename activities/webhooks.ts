import { Context } from '@temporalio/activity';
import { heartbeating } from './heartbeat.js';

const HEARTBEAT_MILLIS = 1_000;

export interface WebhookActivities {
  /** Tries a receiver that has failed again, and gives it all that is due. Without a time nothing is left to do. */
  retryWebhook(pushId: string): Promise<{ afterMillis?: number }>;
}

/** `retry` is the courier's; secrets stay in the journal, from where it reads them. */
export function createWebhookActivities(
  retry: (pushId: string, signal: AbortSignal) => Promise<{ afterMillis?: number }>,
): WebhookActivities {
  return {
    async retryWebhook(pushId) {
      const context = Context.current();
      const stopBeating = heartbeating(context, HEARTBEAT_MILLIS);
      try {
        return await retry(pushId, context.cancellationSignal);
      } finally {
        stopBeating();
      }
    },
  };
}

import type { Context } from '@temporalio/activity';

/**
 * Beats until the returned function is called, so that Temporal notices a dead worker and a cancel
 * reaches the activity: cancellation comes with the answer to a heartbeat.
 */
export function heartbeating(context: Pick<Context, 'heartbeat'>, everyMillis: number): () => void {
  const timer = setInterval(() => context.heartbeat(), everyMillis);
  return () => clearInterval(timer);
}

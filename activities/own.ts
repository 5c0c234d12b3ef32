import { Context } from '@temporalio/activity';
import type { ActivityContext } from '../core/agent.js';
import type { Message } from '../core/task.js';
import { heartbeating } from './heartbeat.js';

/** An activity of an agent's own, as its `*.activities.ts` file exports it. */
export type OwnActivity = (input: unknown, context: ActivityContext) => Promise<unknown>;

/** Often enough that a cancel reaches a running call in well under a second. */
const HEARTBEAT_MILLIS = 250;

/**
 * Wraps an agent's own activity: heartbeats for it, so that cancellation arrives even if it never
 * heartbeats itself, and gives it the context that {@link ActivityContext} documents.
 */
export function ownActivity(
  run: OwnActivity,
  readMessage: (taskId: string, messageId: string) => Promise<Message>,
): (input: unknown) => Promise<unknown> {
  return async (input) => {
    const context = Context.current();
    const { info } = context;
    const { workflowId = '', runId = '' } = info.workflowExecution ?? {};
    const stopBeating = heartbeating(context, HEARTBEAT_MILLIS);
    try {
      const work = run(input, {
        taskId: workflowId,
        signal: context.cancellationSignal,
        attempt: info.attempt,
        // The run id is part of it: activity ids begin anew with every continue-as-new.
        idempotencyKey: `${runId}/${info.activityId}`,
        read: (message) => readMessage(workflowId, message.messageId),
      });
      // A call that ignores its signal must not hold its slot after a cancel.
      return await Promise.race([work, context.cancelled]);
    } finally {
      stopBeating();
    }
  };
}

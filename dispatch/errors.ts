import { WorkflowUpdateFailedError, WorkflowUpdateRPCTimeoutOrCancelledError } from '@temporalio/client';
import {
  ApplicationFailure,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
} from '@temporalio/common';
import { TASK_TERMINAL } from '../core/task-workflow.js';

/**
 * What a failed attempt to deliver a command means.
 *
 * - `done`: it was delivered before.
 * - `over`: there is no open run. The journal row decides: terminal → nothing is left to do.
 * - `busy`: Temporal answered, but not with success; the same command may succeed later.
 * - `unreachable`: Temporal did not answer, so neither will it for other commands.
 * - `refused`: it can never succeed as it is.
 */
export type DeliveryFailure = 'done' | 'over' | 'busy' | 'unreachable' | 'refused';

/** Failure types of an update whose run ended before or while it was taken. */
const RUN_OVER = new Set(['AcceptedUpdateCompletedWorkflow', TASK_TERMINAL]);

/** gRPC status codes by number, as both connection types of the SDK report them. */
const CANCELLED = 1;
const INVALID_ARGUMENT = 3;
const DEADLINE_EXCEEDED = 4;
const NOT_FOUND = 5;
const ALREADY_EXISTS = 6;
const UNAVAILABLE = 14;

export function classifyDeliveryFailure(error: unknown): DeliveryFailure {
  // Over NativeConnection the message of a WorkflowNotFoundError is empty: only its class tells.
  if (error instanceof WorkflowNotFoundError) return 'over';
  if (error instanceof WorkflowExecutionAlreadyStartedError) return 'done';
  if (error instanceof WorkflowUpdateFailedError) {
    const { cause } = error;
    return cause instanceof ApplicationFailure && RUN_OVER.has(cause.type ?? '') ? 'over' : 'busy';
  }
  // No worker took the update in time; Temporal itself is well.
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return 'busy';
  switch (grpcCode(error)) {
    case NOT_FOUND:
      return 'over';
    case ALREADY_EXISTS:
      return 'done';
    case INVALID_ARGUMENT:
      return 'refused';
    case UNAVAILABLE:
    case DEADLINE_EXCEEDED:
    case CANCELLED: // What NativeConnection makes of a deadline that passed.
      return 'unreachable';
    default:
      // RESOURCE_EXHAUSTED is load, unless it is this very message that is too big for gRPC.
      return /larger than max|message length too large/i.test(grpcDetails(error)) ? 'refused' : 'busy';
  }
}

/** The gRPC status code of the error or of what caused it. */
function grpcCode(error: unknown): number | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'number') return cause.code;
  }
  return undefined;
}

function grpcDetails(error: unknown): string {
  let details = '';
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    details += `${cause.message}\n`;
    if ('details' in cause && typeof cause.details === 'string') details += `${cause.details}\n`;
  }
  return details;
}

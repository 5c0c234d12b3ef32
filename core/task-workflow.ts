import type { TaskStart } from './journal.js';
import type { SessionState } from './session/state.js';

/**
 * The names under which Temporal knows the workflows and what the task workflow listens to. `workflows/` defines
 * them in Temporal's sandbox and `dispatch/` calls them from outside of it: they meet here.
 */
export const TASK_WORKFLOW = 'taskWorkflow';
export const RECONCILE_WORKFLOW = 'reconcileWorkflow';

/** Tries the receiver of one webhook again; workflow id = the id of its delivery. */
export const PUSH_WORKFLOW = 'pushWorkflow';
export const PUSH_SIGNAL = 'wake';

/** Deliveries have a queue, and so a worker, of their own: a receiver that hangs takes no slot from a model. */
export function pushTaskQueue(taskQueue: string): string {
  return `${taskQueue}-webhooks`;
}

export const TASK_UPDATE = 'receiveMessage';
export const TASK_SIGNALS = {
  reply: 'reply',
  resolveAuth: 'resolveAuth',
  cancel: 'cancel',
  turn: 'turn',
} as const;
export const TASK_QUERY = 'task';

/** Failure type of the update on a task that is over; its details hold the state. */
export const TASK_TERMINAL = 'TaskTerminal';

/** A new task, or what the run before carried over. */
export type TaskWorkflowInput = { start: TaskStart } | { carried: SessionState };

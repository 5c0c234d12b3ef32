import type { TaskState } from './task.js';

/**
 * The one place that knows which state may follow which (A05). Everything that records a state goes
 * through {@link statesTo}, so an invalid transition cannot be written.
 */
const NEXT: Record<TaskState, readonly TaskState[]> = {
  TASK_STATE_SUBMITTED: [
    'TASK_STATE_WORKING',
    'TASK_STATE_REJECTED',
    'TASK_STATE_AUTH_REQUIRED',
    'TASK_STATE_CANCELED',
    'TASK_STATE_FAILED',
  ],
  TASK_STATE_WORKING: [
    'TASK_STATE_WORKING',
    'TASK_STATE_COMPLETED',
    'TASK_STATE_FAILED',
    'TASK_STATE_INPUT_REQUIRED',
    'TASK_STATE_AUTH_REQUIRED',
    'TASK_STATE_REJECTED',
    'TASK_STATE_CANCELED',
  ],
  TASK_STATE_INPUT_REQUIRED: ['TASK_STATE_WORKING', 'TASK_STATE_CANCELED', 'TASK_STATE_FAILED'],
  TASK_STATE_AUTH_REQUIRED: ['TASK_STATE_WORKING', 'TASK_STATE_CANCELED', 'TASK_STATE_FAILED'],
  TASK_STATE_COMPLETED: [],
  TASK_STATE_FAILED: [],
  TASK_STATE_CANCELED: [],
  TASK_STATE_REJECTED: [],
};

export function isTerminal(state: TaskState): boolean {
  return NEXT[state].length === 0;
}

/** Paused until somebody outside acts: the spec's "interrupted" states. */
export function isInterrupted(state: TaskState): boolean {
  return state === 'TASK_STATE_INPUT_REQUIRED' || state === 'TASK_STATE_AUTH_REQUIRED';
}

/** Terminal or interrupted: a blocking send returns and a stream closes. */
export function isSettled(state: TaskState): boolean {
  return isTerminal(state) || isInterrupted(state);
}

export function canFollow(from: TaskState, to: TaskState): boolean {
  return NEXT[from].includes(to);
}

/**
 * The states to record, in order, to bring a task from `from` to `to`: `[to]` where that is a valid
 * transition, `[WORKING, to]` where work has to be shown in between (an agent that completes at once),
 * and `undefined` where nothing may follow.
 */
export function statesTo(from: TaskState, to: TaskState): TaskState[] | undefined {
  if (canFollow(from, to)) return [to];
  const viaWorking = canFollow(from, 'TASK_STATE_WORKING') && canFollow('TASK_STATE_WORKING', to);
  return viaWorking ? ['TASK_STATE_WORKING', to] : undefined;
}

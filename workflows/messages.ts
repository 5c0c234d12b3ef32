import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { Delivery, TaskStart } from '../core/journal.js';
import type { SessionState } from '../core/session/state.js';
import type { SessionView } from '../core/session/session.js';
import type { Message } from '../core/task.js';

/** The task workflow's interface: any Temporal client may use it (CLI, another workflow, an OAuth callback). */

export const TASK_WORKFLOW = 'taskWorkflow';

/** A new task, or what the run before carried over. */
export type TaskWorkflowInput = { start: TaskStart } | { carried: SessionState };

/** Failure type of the update on a task that is over; its details hold the state. */
export const TASK_TERMINAL = 'TaskTerminal';

/** A follow-up that the journal has accepted. Rejected with {@link TASK_TERMINAL} on a finished task. */
export const receiveMessage = defineUpdate<void, [Delivery]>('receiveMessage');
/** A reply that the journal has not seen: messageId, role and parts. */
export const reply = defineSignal<[Message]>('reply');
/** Authorisation of a connector was given; without a name, of whichever is asked for. */
export const resolveAuth = defineSignal<[{ connector?: string }?]>('resolveAuth');
export const cancel = defineSignal('cancel');
/** The context's turn was granted to this task. */
export const turn = defineSignal('turn');
export const task = defineQuery<SessionView>('task');

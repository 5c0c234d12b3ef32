import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { Delivery } from '../core/journal.js';
import type { SessionView } from '../core/session/session.js';
import type { Message } from '../core/task.js';
import { TASK_QUERY, TASK_SIGNALS, TASK_UPDATE } from '../core/task-workflow.js';

/** The task workflow's interface: any Temporal client may use it (CLI, another workflow, an OAuth callback). */

/** A follow-up that the journal has accepted. Rejected with `TASK_TERMINAL` on a finished task. */
export const receiveMessage = defineUpdate<undefined, [Delivery]>(TASK_UPDATE);
/** A reply that the journal has not seen: messageId and parts, as the sender wrote them. */
export const reply = defineSignal<[Message]>(TASK_SIGNALS.reply);
/** Authorisation of a connector was given; without a name, of whichever is asked for. */
export const resolveAuth = defineSignal<[{ connector?: string }?]>(TASK_SIGNALS.resolveAuth);
export const cancel = defineSignal(TASK_SIGNALS.cancel);
/** The context's turn was granted to this task. */
export const turn = defineSignal(TASK_SIGNALS.turn);
export const task = defineQuery<SessionView>(TASK_QUERY);

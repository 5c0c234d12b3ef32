import { A2AError, invalidParams, taskNotFound } from '../core/errors.js';
import type { Scope } from '../core/caller.js';
import type { AcceptedSend, Command, Delivery, FollowUp, NewTask, TaskStart } from '../core/journal.js';
import { withTask } from '../core/record.js';
import { isTerminal } from '../core/states.js';
import { recordAlias } from './aliases.js';
import { BlobWriter } from './blobs.js';
import { recordCommand } from './commands.js';
import { continuedTask } from './continuation.js';
import { refuseExpired } from './contexts.js';
import { count } from './counters.js';
import { Draft } from './draft.js';
import { deliveryKey } from './keys.js';
import type { JournalOptions } from './options.js';
import { registerPush } from './push-configs.js';
import {
  flag,
  insertEvent,
  insertMessage,
  insertTask,
  isVisible,
  readTaskRow,
  type TaskRow,
} from './rows.js';
import { recordSend, sendByKey, sendToTask } from './sends.js';
import type { Transaction } from './store.js';
import { stampAt } from './stamp.js';
import { holdsTurn, requestTurn } from './turns.js';

/** `JournalAcceptance.accept` in one transaction. */
export async function accept(
  tx: Transaction,
  input: NewTask,
  options: JournalOptions,
): Promise<AcceptedSend> {
  const { taskId, contextId, agent, message, idempotencyKey, visible, continues } = input;
  const { tenant, owner } = input.caller;
  const now = options.now();
  const scope: Scope = { tenant, owner, agent };
  const open = continues && (await continuedTask(tx.db, scope, continues, { message, contextId }));
  if (idempotencyKey !== undefined) {
    const which = continues === undefined ? 'new' : continues.kind === 'alias' ? { taskId: open } : 'any';
    const before = await sendByKey(tx.db, scope, idempotencyKey, message, which);
    if (before !== undefined) return before;
  }
  if (open !== undefined) {
    const given = message.contextId !== undefined && { contextId: message.contextId };
    const key = idempotencyKey !== undefined && { idempotencyKey };
    const push = input.push && { push: input.push };
    const followUp = { taskId: open, scope, message, options: input.options, ...given, ...key, ...push };
    return acceptFollowUp(tx, followUp, options);
  }
  await refuseExpired(tx.db, { tenant, owner, contextId }, now - options.contextExpiry);
  const { stored, turn } = await writeTask(tx, input, now);
  if (continues?.kind === 'alias') await recordAlias(tx.db, scope, continues.alias, taskId);
  if (input.push !== undefined) {
    await registerPush(tx, { task_id: taskId, last_seq: 1 }, input.push, options);
  }
  await recordSend(tx.db, {
    ...scope,
    taskId,
    message,
    idempotencyKey,
    followUp: false,
    seq: 1,
    state: 'TASK_STATE_SUBMITTED',
  });
  const start: TaskStart = {
    taskId,
    contextId,
    caller: { tenant, owner },
    agent,
    message: stored,
    options: input.options,
    visible,
    turn,
  };
  const command = await recordCommand(tx.db, { taskId, kind: 'start', start }, now);
  return {
    taskId,
    contextId,
    seq: 1,
    state: 'TASK_STATE_SUBMITTED',
    duplicate: false,
    visible,
    commands: [command],
  };
}

/** `JournalAppend.restore`: the workflow runs already, so there is nothing to start. */
export async function restore(tx: Transaction, input: NewTask, now: number): Promise<void> {
  if ((await readTaskRow(tx.db, input.taskId)) === undefined) await writeTask(tx, input, now);
}

/** The row, event 1 and the first message; asks for the context's turn. */
async function writeTask(tx: Transaction, input: NewTask, now: number) {
  const { taskId, contextId, agent, visible } = input;
  const { tenant, owner } = input.caller;
  const { time } = stampAt(now);
  const blobs = new BlobWriter();
  const stored = blobs.detachMessage(withTask(input.message, { id: taskId, contextId }, time));
  const row: TaskRow = {
    task_id: taskId,
    tenant,
    owner,
    agent,
    context_id: contextId,
    state: 'TASK_STATE_SUBMITTED',
    status_time: time,
    status_message: null,
    metadata: null,
    direct: null,
    visible: flag(visible),
    last_seq: 1,
    floor_seq: 0,
    history_size: 1,
    last_key: '',
    version: 1,
    cancel_requested: 0,
    accepted_at: now,
    ended_at: null,
    swept: 0,
  };
  const body = JSON.stringify(stored);
  const task = { id: taskId, contextId, status: { state: row.state, timestamp: time }, history: [stored] };
  const event = JSON.stringify({ task });
  await insertTask(tx.db, row);
  await insertEvent(tx.db, { task_id: taskId, seq: 1, key: 'task', artifact_id: null, body: event });
  await insertMessage(tx.db, { task_id: taskId, position: 0, key: null, seq: 1, at: now, body });
  await blobs.save(tx.db, taskId);
  if (visible) await count(tx.db, row, undefined, row.state);
  const turn = await requestTurn(tx.db, row, now);
  tx.added(taskId);
  return { stored, turn };
}

/** `JournalAcceptance.acceptFollowUp` in one transaction. */
export async function acceptFollowUp(
  tx: Transaction,
  input: FollowUp,
  options: JournalOptions,
): Promise<AcceptedSend> {
  const now = options.now();
  const { taskId, contextId, scope, message, idempotencyKey } = input;
  const before =
    (idempotencyKey !== undefined && (await sendByKey(tx.db, scope, idempotencyKey, message, { taskId }))) ||
    (await sendToTask(tx.db, scope, taskId, message));
  if (before) return before;
  const row = await readTaskRow(tx.db, taskId);
  if (!isVisible(row, scope)) throw taskNotFound(taskId);
  if (contextId !== undefined && contextId !== row.context_id) {
    throw invalidParams('message.contextId', 'the task belongs to another context');
  }
  if (isTerminal(row.state)) {
    throw new A2AError('UNSUPPORTED_OPERATION', 'The task has ended and takes no more messages', {
      metadata: { taskId },
    });
  }
  const draft = new Draft(tx, row, now);
  const stored = await draft.addMessage(
    withTask(message, { id: taskId, contextId: row.context_id }, stampAt(now).time),
    null,
  );
  await draft.save();
  const registered = input.push && (await registerPush(tx, row, input.push, options));
  await recordSend(tx.db, {
    ...scope,
    taskId,
    message,
    idempotencyKey,
    followUp: true,
    seq: row.last_seq,
    state: row.state,
  });
  const delivery: Delivery = {
    key: deliveryKey(message),
    message: stored,
    options: input.options,
    afterSeq: row.last_seq,
    // An answer sends the task back to work; a message to AUTH_REQUIRED does not (A15).
    turn: await (row.state === 'TASK_STATE_INPUT_REQUIRED'
      ? requestTurn(tx.db, row, now)
      : holdsTurn(tx.db, row)),
  };
  const command = await recordCommand(tx.db, { taskId, kind: 'message', delivery }, now);
  return {
    taskId,
    contextId: row.context_id,
    seq: row.last_seq,
    state: row.state,
    duplicate: false,
    visible: true,
    commands: [command, ...(registered?.commands ?? [])],
  };
}

/** `JournalAcceptance.reveal` in one transaction. */
export async function reveal(tx: Transaction, taskId: string, now: number): Promise<boolean> {
  const row = await readTaskRow(tx.db, taskId);
  if (row === undefined || row.direct !== null) return false;
  if (row.visible === 1) return true;
  const draft = new Draft(tx, row, now);
  draft.row.visible = 1;
  await draft.save();
  return true;
}

/** `JournalAcceptance.requestCancel` in one transaction. */
export async function requestCancel(
  tx: Transaction,
  scope: Scope,
  taskId: string,
  now: number,
): Promise<{ seq: number; commands: Command[] }> {
  const row = await readTaskRow(tx.db, taskId);
  if (!isVisible(row, scope)) throw taskNotFound(taskId);
  if (isTerminal(row.state)) {
    throw new A2AError('TASK_NOT_CANCELABLE', 'The task has ended', { metadata: { taskId } });
  }
  if (row.cancel_requested === 1) return { seq: row.last_seq, commands: [] };
  const draft = new Draft(tx, row, now);
  draft.row.cancel_requested = 1;
  await draft.save();
  const command = await recordCommand(tx.db, { taskId, kind: 'cancel' }, now);
  return { seq: row.last_seq, commands: [command] };
}

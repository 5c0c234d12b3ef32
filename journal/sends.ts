import type { Scope } from '../core/caller.js';
import { invalidParams } from '../core/errors.js';
import type { AcceptedSend, SendLookup } from '../core/journal.js';
import type { Message, TaskState } from '../core/task.js';
import { contentHash } from './keys.js';
import { type Db, prepare } from './prepare.js';
import { flag } from './rows.js';
import type { SendsTable } from './schema.js';

/** A send as it was recorded, beside what its task's row says now. */
interface RecordedSend {
  task_id: string;
  context_id: string;
  visible: number;
  agent: string;
  content: string;
  follow_up: number;
  seq: number;
  state: TaskState;
}

/**
 * The send that this key named before. A key belongs to the caller; with other content, another agent or
 * another task it is INVALID_PARAMS (A20). `which` send it may be: one that began a task, one to this
 * task, or any.
 */
export async function sendByKey(
  db: Db,
  scope: Scope,
  key: string,
  message: Message,
  which: 'new' | 'any' | { taskId: string | undefined },
): Promise<AcceptedSend | undefined> {
  const [send] = await byKey(db, { tenant: scope.tenant, owner: scope.owner, key });
  if (send === undefined) return undefined;
  const sameTask =
    typeof which === 'object' ? send.task_id === which.taskId : which === 'any' || send.follow_up === 0;
  if (send.agent !== scope.agent || send.content !== contentHash(message) || !sameTask) {
    throw invalidParams('Idempotency-Key', 'this key was used before, for another message');
  }
  return acceptedBefore(send);
}

/** A follow-up that came before: same task, message id and content. */
export async function sendToTask(
  db: Db,
  scope: Scope,
  taskId: string,
  message: Message,
): Promise<AcceptedSend | undefined> {
  const sends = await byTask(db, { ...scope, taskId, messageId: message.messageId });
  const content = contentHash(message);
  const send = sends.find((one) => one.content === content);
  return send && acceptedBefore(send);
}

/** `JournalAcceptance.findSend`. */
export async function findSend(db: Db, scope: Scope, lookup: SendLookup): Promise<AcceptedSend | undefined> {
  const { idempotencyKey, taskId, message } = lookup;
  if (idempotencyKey !== undefined) {
    const [send] = await byKey(db, { tenant: scope.tenant, owner: scope.owner, key: idempotencyKey });
    if (send === undefined || send.agent !== scope.agent) return undefined;
    if (send.content !== contentHash(message)) {
      throw invalidParams('Idempotency-Key', 'this key was used before, for another message');
    }
    return taskId === undefined || send.task_id === taskId ? acceptedBefore(send) : undefined;
  }
  const [send] =
    taskId === undefined
      ? await byContent(db, { ...scope, messageId: message.messageId, content: contentHash(message) })
      : await byTask(db, { ...scope, taskId, messageId: message.messageId });
  return send && acceptedBefore(send);
}

export interface NewSend extends Scope {
  taskId: string;
  message: Message;
  idempotencyKey: string | undefined;
  followUp: boolean;
  seq: number;
  state: TaskState;
}

/** Part of the transaction that accepts it. */
export async function recordSend(db: Db, send: NewSend): Promise<void> {
  await insertSend(db, {
    tenant: send.tenant,
    owner: send.owner,
    agent: send.agent,
    task_id: send.taskId,
    message_id: send.message.messageId,
    content: contentHash(send.message),
    idempotency_key: send.idempotencyKey ?? null,
    follow_up: flag(send.followUp),
    seq: send.seq,
    state: send.state,
  });
}

function acceptedBefore(send: RecordedSend): AcceptedSend {
  return {
    taskId: send.task_id,
    contextId: send.context_id,
    seq: send.seq,
    state: send.state,
    duplicate: true,
    visible: send.visible === 1,
    commands: [],
  };
}

function recordedSends(db: Db) {
  return db
    .selectFrom('sends')
    .innerJoin('tasks', 'tasks.task_id', 'sends.task_id')
    .select([
      'sends.task_id',
      'tasks.context_id',
      'tasks.visible',
      'sends.agent',
      'sends.content',
      'sends.follow_up',
      'sends.seq',
      'sends.state',
    ])
    .orderBy('sends.id', 'desc');
}

const byKey = prepare((db, value: { tenant: string; owner: string; key: string }) =>
  recordedSends(db)
    .where('sends.tenant', '=', value.tenant)
    .where('sends.owner', '=', value.owner)
    .where('sends.idempotency_key', '=', value.key),
);

const byTask = prepare((db, value: Scope & { taskId: string; messageId: string }) =>
  recordedSends(db)
    .where('sends.task_id', '=', value.taskId)
    .where('sends.message_id', '=', value.messageId)
    .where('sends.tenant', '=', value.tenant)
    .where('sends.owner', '=', value.owner)
    .where('sends.agent', '=', value.agent),
);

const byContent = prepare((db, value: Scope & { messageId: string; content: string }) =>
  recordedSends(db)
    .where('sends.tenant', '=', value.tenant)
    .where('sends.owner', '=', value.owner)
    .where('sends.message_id', '=', value.messageId)
    .where('sends.content', '=', value.content)
    .where('sends.agent', '=', value.agent)
    .limit(1),
);

const insertSend = prepare((db, row: Omit<SendsTable, 'id'>) =>
  db.insertInto('sends').values({
    tenant: row.tenant,
    owner: row.owner,
    agent: row.agent,
    task_id: row.task_id,
    message_id: row.message_id,
    content: row.content,
    idempotency_key: row.idempotency_key,
    follow_up: row.follow_up,
    seq: row.seq,
    state: row.state,
  }),
);

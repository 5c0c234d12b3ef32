import type { Caller, Scope } from '../core/caller.js';
import { invalidParams } from '../core/errors.js';
import { INTERMEDIATE_THINKING } from '../core/record.js';
import type { Artifact, Message } from '../core/task.js';
import { parseWhole } from './blobs.js';
import type { Db } from './prepare.js';

/**
 * Throws INVALID_PARAMS where the context was last used before `since` and none of its tasks is open
 * (A11). A context that was never used cannot have expired.
 */
export async function refuseExpired(
  db: Db,
  context: Caller & { contextId: string },
  since: number,
): Promise<void> {
  if (since === -Infinity) return;
  const { tenant, owner, contextId } = context;
  const expired = await db
    .selectFrom('contexts')
    .select('context_id')
    .where('tenant', '=', tenant)
    .where('owner', '=', owner)
    .where('context_id', '=', contextId)
    .where('used_at', '<', since)
    .executeTakeFirst();
  if (expired === undefined) return;
  const open = await db
    .selectFrom('tasks')
    .select('task_id')
    .where('tenant', '=', tenant)
    .where('owner', '=', owner)
    .where('context_id', '=', contextId)
    .where('ended_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  if (open === undefined) throw invalidParams('message.contextId', 'the context has expired');
}

/** Removes the row of a context in which no task is left. */
export async function forgetContext(
  db: Db,
  context: { tenant: string; owner: string; context_id: string },
): Promise<void> {
  await db
    .deleteFrom('contexts')
    .where('tenant', '=', context.tenant)
    .where('owner', '=', context.owner)
    .where('context_id', '=', context.context_id)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('tasks')
            .select('task_id')
            .where('tenant', '=', context.tenant)
            .where('owner', '=', context.owner)
            .where('context_id', '=', context.context_id),
        ),
      ),
    )
    .execute();
}

/** `JournalReads.readContext`, on a snapshot. */
export async function readContext(
  db: Db,
  scope: Scope,
  contextId: string,
  before: { taskId: string },
): Promise<Message[]> {
  const tasks = await db
    .selectFrom('tasks')
    .select(['task_id', 'accepted_at'])
    .where('tenant', '=', scope.tenant)
    .where('owner', '=', scope.owner)
    .where('context_id', '=', contextId)
    .where('agent', '=', scope.agent)
    .orderBy('accepted_at')
    .orderBy('task_id')
    .execute();
  const own = tasks.findIndex((task) => task.task_id === before.taskId);
  const said: Said[] = [];
  for (const { task_id: taskId } of tasks.slice(0, Math.max(0, own)))
    said.push(...(await saidIn(db, taskId)));
  // Array.prototype.sort is stable: within one millisecond the order of the tasks stays.
  return said.sort((a, b) => a.at - b.at).map(({ message }) => message);
}

interface Said {
  at: number;
  seq: number;
  message: Message;
}

/** The task's history with its final artifacts where they were finished. */
async function saidIn(db: Db, taskId: string): Promise<Said[]> {
  const messages = await db
    .selectFrom('messages')
    .select(['at', 'seq', 'body'])
    .where('task_id', '=', taskId)
    .orderBy('position')
    .execute();
  const artifacts = await db
    .selectFrom('artifacts')
    .select(['closed_at', 'start_seq', 'body'])
    .where('task_id', '=', taskId)
    .where('open', '=', 0)
    .orderBy('start_seq')
    .execute();
  const spoken = await parseWhole<Message>(
    db,
    taskId,
    messages.map(({ body }) => body),
  );
  const made = await parseWhole<Artifact>(
    db,
    taskId,
    artifacts.map(({ body }) => body!),
  );
  const said: Said[] = [];
  for (const [i, artifact] of made.entries()) {
    if (artifact.metadata?.type === INTERMEDIATE_THINKING) continue;
    const at = artifacts[i]!.closed_at!;
    said.push({ at, seq: artifacts[i]!.start_seq, message: asMessage(artifact, spoken[0]!, at) });
  }
  for (const [i, message] of spoken.entries())
    said.push({ at: messages[i]!.at, seq: messages[i]!.seq, message });
  // A user's message has the sequence of the event that it came after, and stands after that one here too.
  return said.sort((a, b) => a.seq - b.seq);
}

/** An artifact as what the agent said: the answer is one (B05). */
function asMessage(artifact: Artifact, first: Message, at: number): Message {
  return {
    messageId: artifact.artifactId,
    ...(first.contextId !== undefined && { contextId: first.contextId }),
    ...(first.taskId !== undefined && { taskId: first.taskId }),
    role: 'ROLE_AGENT',
    parts: artifact.parts,
    metadata: { ...artifact.metadata, $timestamp: new Date(at).toISOString() },
  };
}

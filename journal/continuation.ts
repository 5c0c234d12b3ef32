import { sql } from 'kysely';
import type { Scope } from '../core/caller.js';
import type { Continuation } from '../core/journal.js';
import type { Message } from '../core/task.js';
import { resolveAlias } from './aliases.js';
import { contentHash } from './keys.js';
import { type Db, prepare } from './prepare.js';

/**
 * The task that the message goes to, as part of the transaction that accepts it: of two sends that come at
 * once the second sees what the first has done. Undefined where it begins a new one.
 */
export async function continuedTask(
  db: Db,
  scope: Scope,
  continuation: Continuation,
  { message, contextId }: { message: Message; contextId: string },
): Promise<string | undefined> {
  if (continuation.kind === 'alias') {
    const { alias } = continuation;
    const [own] = await ownTask(db, { ...scope, taskId: alias });
    return (await resolveAlias(db, scope, alias)) ?? own?.task_id;
  }
  const content = contentHash(message);
  const [repeated] = await answeredWith(db, { ...scope, contextId, messageId: message.messageId, content });
  if (repeated !== undefined) return repeated.task_id;
  const [open] = await openQuestion(db, { ...scope, contextId });
  return open?.task_id;
}

/** By the id that the server gave it. */
const ownTask = prepare((db, value: Scope & { taskId: string }) =>
  db
    .selectFrom('tasks')
    .select('task_id')
    .where('task_id', '=', value.taskId)
    .where('tenant', '=', value.tenant)
    .where('owner', '=', value.owner)
    .where('agent', '=', value.agent)
    .where('visible', '=', sql.lit(1)),
);

/** The answer came before: sent again it must not begin a task (A20). */
const answeredWith = prepare((db, value: Scope & { contextId: string; messageId: string; content: string }) =>
  db
    .selectFrom('sends')
    .innerJoin('tasks', 'tasks.task_id', 'sends.task_id')
    .select('sends.task_id')
    .where('sends.tenant', '=', value.tenant)
    .where('sends.owner', '=', value.owner)
    .where('sends.message_id', '=', value.messageId)
    .where('sends.content', '=', value.content)
    .where('sends.agent', '=', value.agent)
    .where('sends.follow_up', '=', sql.lit(1))
    .where('tasks.context_id', '=', value.contextId)
    .orderBy('sends.id', 'desc')
    .limit(1),
);

/**
 * The newest task that waits for input and has no answer yet. One that was answered says INPUT_REQUIRED until a
 * worker takes the answer up; what comes in between must not depend on how soon that is.
 */
const openQuestion = prepare((db, value: Scope & { contextId: string }) =>
  db
    .selectFrom('tasks')
    .select('tasks.task_id')
    .where('tasks.tenant', '=', value.tenant)
    .where('tasks.owner', '=', value.owner)
    .where('tasks.context_id', '=', value.contextId)
    .where('tasks.agent', '=', value.agent)
    .where('tasks.state', '=', 'TASK_STATE_INPUT_REQUIRED')
    .where('tasks.visible', '=', sql.lit(1))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('sends')
            .select('sends.id')
            .whereRef('sends.task_id', '=', 'tasks.task_id')
            .whereRef('sends.seq', '>=', 'tasks.last_seq')
            .where('sends.follow_up', '=', sql.lit(1)),
        ),
      ),
    )
    .orderBy('tasks.status_time', 'desc')
    .orderBy('tasks.task_id', 'desc')
    .limit(1),
);

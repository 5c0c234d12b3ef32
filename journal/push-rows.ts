import { type Selectable, sql } from 'kysely';
import type { PushClaim, PushConfig } from '../core/push.js';
import { type Db, prepare } from './prepare.js';
import type { Flag, PushesTable } from './schema.js';

export type PushRow = Selectable<PushesTable>;

export async function readPush(db: Db, pushId: string): Promise<PushRow | undefined> {
  const [row] = await byId(db, { pushId });
  return row;
}

/** Those of a task, oldest first, after one of them. */
export async function pushesOf(
  db: Db,
  taskId: string,
  { limit, after = '' }: { limit: number; after?: string },
): Promise<PushRow[]> {
  return ofTask(db, { taskId, after, limit });
}

export async function pushOfConfig(db: Db, taskId: string, configId: string): Promise<PushRow | undefined> {
  const [row] = await byConfig(db, { taskId, configId });
  return row;
}

/**
 * Says that the task's receivers have to be told of this event. Gives those that can be told at once; the others
 * come to it by themselves.
 */
export async function markDue(db: Db, taskId: string, seq: number): Promise<string[]> {
  const marked = await setDue(db, { taskId, seq });
  return marked.filter(({ state }) => state === 'active').map((row) => row.push_id);
}

export function configOf(row: PushRow): PushConfig {
  const { config_id: id, task_id: taskId, url, token, scheme, credentials } = row;
  return {
    id,
    taskId,
    url,
    ...(token !== null && { token }),
    ...(scheme !== null && { authentication: { scheme, ...(credentials !== null && { credentials }) } }),
  };
}

export function claimOf(row: PushRow): PushClaim {
  return {
    pushId: row.push_id,
    config: configOf(row),
    dialect: row.dialect,
    deliveredSeq: row.delivered_seq,
    attempts: row.attempts,
    failingSince: row.failing_since ?? undefined,
  };
}

const byId = prepare((db, value: { pushId: string }) =>
  db.selectFrom('pushes').selectAll().where('push_id', '=', value.pushId),
);

const byConfig = prepare((db, value: { taskId: string; configId: string }) =>
  db
    .selectFrom('pushes')
    .selectAll()
    .where('task_id', '=', value.taskId)
    .where('config_id', '=', value.configId),
);

const ofTask = prepare((db, value: { taskId: string; after: string; limit: number }) =>
  db
    .selectFrom('pushes')
    .selectAll()
    .where('task_id', '=', value.taskId)
    .where('push_id', '>', value.after)
    .orderBy('push_id')
    .limit(value.limit),
);

const setDue = prepare((db, value: { taskId: string; seq: number }) =>
  db
    .updateTable('pushes')
    .set((eb) => ({
      due_seq: value.seq,
      due: eb.case().when('state', '=', sql.lit('active')).then(sql.lit<Flag>(1)).else(eb.ref('due')).end(),
    }))
    .where('task_id', '=', value.taskId)
    .returning(['push_id', 'state']),
);

export const insertPush = prepare((db, row: PushRow) =>
  db.insertInto('pushes').values({
    push_id: row.push_id,
    task_id: row.task_id,
    config_id: row.config_id,
    dialect: row.dialect,
    url: row.url,
    token: row.token,
    scheme: row.scheme,
    credentials: row.credentials,
    state: row.state,
    delivered_seq: row.delivered_seq,
    due_seq: row.due_seq,
    due: row.due,
    holder: row.holder,
    held_until: row.held_until,
    attempts: row.attempts,
    failing_since: row.failing_since,
    last_error: row.last_error,
    last_attempt_at: row.last_attempt_at,
    next_attempt_at: row.next_attempt_at,
  }),
);

/** All that can change, but for `due_seq`, which belongs to the log. */
export const updatePush = prepare((db, row: PushRow) =>
  db
    .updateTable('pushes')
    .set({
      dialect: row.dialect,
      url: row.url,
      token: row.token,
      scheme: row.scheme,
      credentials: row.credentials,
      state: row.state,
      delivered_seq: row.delivered_seq,
      due: row.due,
      holder: row.holder,
      held_until: row.held_until,
      attempts: row.attempts,
      failing_since: row.failing_since,
      last_error: row.last_error,
      last_attempt_at: row.last_attempt_at,
      next_attempt_at: row.next_attempt_at,
    })
    .where('push_id', '=', row.push_id),
);

export const deletePush = prepare((db, value: { pushId: string }) =>
  db.deleteFrom('pushes').where('push_id', '=', value.pushId),
);

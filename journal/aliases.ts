import type { Scope } from '../core/caller.js';
import { type Db, prepare } from './prepare.js';

/** `JournalReads.resolveAlias`. */
export async function resolveAlias(db: Db, scope: Scope, alias: string): Promise<string | undefined> {
  const [row] = await byAlias(db, { ...scope, alias });
  return row?.task_id;
}

/** `JournalReads.aliasOf`. */
export async function aliasOf(db: Db, taskId: string): Promise<string | undefined> {
  const [row] = await byTask(db, { taskId });
  return row?.alias;
}

/** Part of the transaction that accepts the task. */
export async function recordAlias(db: Db, scope: Scope, alias: string, taskId: string): Promise<void> {
  await insertAlias(db, { ...scope, alias, taskId });
}

const byAlias = prepare((db, value: Scope & { alias: string }) =>
  db
    .selectFrom('aliases')
    .select('task_id')
    .where('tenant', '=', value.tenant)
    .where('owner', '=', value.owner)
    .where('agent', '=', value.agent)
    .where('alias', '=', value.alias),
);

const byTask = prepare((db, value: { taskId: string }) =>
  db.selectFrom('aliases').select('alias').where('task_id', '=', value.taskId),
);

const insertAlias = prepare((db, value: Scope & { alias: string; taskId: string }) =>
  db.insertInto('aliases').values({
    tenant: value.tenant,
    owner: value.owner,
    agent: value.agent,
    alias: value.alias,
    task_id: value.taskId,
  }),
);

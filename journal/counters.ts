import type { Scope } from '../core/caller.js';
import type { TaskState } from '../core/task.js';
import { type Db, prepare } from './prepare.js';

/** The scope and context in which a task is counted. */
export interface Counted {
  tenant: string;
  owner: string;
  agent: string;
  context_id: string;
}

/** A visible task went from one state to another; undefined where it was not, or is no longer, there. */
export async function count(
  db: Db,
  task: Counted,
  from: TaskState | undefined,
  to: TaskState | undefined,
): Promise<void> {
  if (from === to) return;
  const { tenant, owner, agent, context_id } = task;
  if (from !== undefined) await add(db, { tenant, owner, agent, contextId: context_id, state: from, n: -1 });
  if (to !== undefined) await add(db, { tenant, owner, agent, contextId: context_id, state: to, n: 1 });
}

/** Number of visible tasks in the scope, or in one context of it, in some states or in all. */
export async function counted(
  db: Db,
  scope: Scope,
  contextId?: string,
  states?: readonly TaskState[],
): Promise<number> {
  const row = await db
    .selectFrom('counters')
    .select((eb) => eb.fn.sum<number | string | null>('n').as('total'))
    .where('tenant', '=', scope.tenant)
    .where('owner', '=', scope.owner)
    .where('agent', '=', scope.agent)
    .where('level', '=', contextId === undefined ? 0 : 1)
    .where('context_id', '=', contextId ?? '')
    .$if(states !== undefined, (query) =>
      query.where((eb) => eb.or(states!.map((state) => eb('state', '=', state)))),
    )
    .executeTakeFirst();
  return Number(row?.total ?? 0);
}

/** Removes the rows of a context in which no task is left. */
export async function forgetCounters(db: Db, task: Counted): Promise<void> {
  await db
    .deleteFrom('counters')
    .where('tenant', '=', task.tenant)
    .where('owner', '=', task.owner)
    .where('agent', '=', task.agent)
    .where('level', '=', 1)
    .where('context_id', '=', task.context_id)
    .where('n', '=', 0)
    .execute();
}

interface Change {
  tenant: string;
  owner: string;
  agent: string;
  contextId: string;
  state: TaskState;
  n: number;
}

const add = prepare((db, change: Change) => {
  const { tenant, owner, agent, contextId, state, n } = change;
  return db
    .insertInto('counters')
    .values([
      { tenant, owner, agent, level: 0, context_id: '', state, n },
      { tenant, owner, agent, level: 1, context_id: contextId, state, n },
    ])
    .onConflict((conflict) =>
      conflict
        .columns(['tenant', 'owner', 'agent', 'level', 'context_id', 'state'])
        .doUpdateSet((eb) => ({ n: eb('counters.n', '+', eb.ref('excluded.n')) })),
    );
});

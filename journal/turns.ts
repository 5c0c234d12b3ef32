import type { Command } from '../core/journal.js';
import { recordCommand } from './commands.js';
import { type Db, prepare } from './prepare.js';

/**
 * The turn of a context: one task at a time works in it, first come first served (A13). The context's row
 * names the holder; who waits stands in the queue. Nobody waits while nobody holds it.
 */
export interface TurnSeat {
  task_id: string;
  tenant: string;
  owner: string;
  context_id: string;
}

/** Takes the turn if it is free, else joins the queue, once. True where the task holds it now. */
export async function requestTurn(db: Db, seat: TurnSeat, now: number): Promise<boolean> {
  const [context] = await takeTurn(db, { ...seat, now });
  if (context?.holder === seat.task_id) return true;
  const [queued] = await joinQueue(db, seat);
  if (queued !== undefined) await touchTask(db, { taskId: seat.task_id });
  return false;
}

export async function holdsTurn(db: Db, seat: TurnSeat): Promise<boolean> {
  const [context] = await holderOf(db, seat);
  return context?.holder === seat.task_id;
}

/**
 * Gives the turn to the next in the queue, if the task holds it, with a `turn` command for that one. A
 * task that has ended (`forGood`) waits no longer either.
 */
export async function releaseTurn(db: Db, seat: TurnSeat, now: number, forGood: boolean): Promise<Command[]> {
  const [held] = await freeTurn(db, { ...seat, now });
  if (held === undefined) {
    if (forGood) await leaveQueue(db, { taskId: seat.task_id });
    return [];
  }
  const [next] = await firstInQueue(db, seat);
  if (next === undefined) return [];
  await leaveQueue(db, { taskId: next.task_id });
  await takeTurn(db, { ...seat, task_id: next.task_id, now });
  await touchTask(db, { taskId: next.task_id });
  return [await recordCommand(db, { taskId: next.task_id, kind: 'turn' }, now)];
}

export const waitsForTurn = prepare((db, value: { taskId: string }) =>
  db.selectFrom('turns').select('id').where('task_id', '=', value.taskId),
);

const takeTurn = prepare((db, value: TurnSeat & { now: number }) =>
  db
    .insertInto('contexts')
    .values({
      tenant: value.tenant,
      owner: value.owner,
      context_id: value.context_id,
      holder: value.task_id,
      used_at: value.now,
    })
    .onConflict((conflict) =>
      conflict.columns(['tenant', 'owner', 'context_id']).doUpdateSet((eb) => ({
        holder: eb.fn.coalesce('contexts.holder', 'excluded.holder'),
        used_at: eb.ref('excluded.used_at'),
      })),
    )
    .returning('holder'),
);

const freeTurn = prepare((db, value: TurnSeat & { now: number }) =>
  db
    .updateTable('contexts')
    .set({ holder: null, used_at: value.now })
    .where('tenant', '=', value.tenant)
    .where('owner', '=', value.owner)
    .where('context_id', '=', value.context_id)
    .where('holder', '=', value.task_id)
    .returning('context_id'),
);

const holderOf = prepare((db, value: TurnSeat) =>
  db
    .selectFrom('contexts')
    .select('holder')
    .where('tenant', '=', value.tenant)
    .where('owner', '=', value.owner)
    .where('context_id', '=', value.context_id),
);

const joinQueue = prepare((db, value: TurnSeat) =>
  db
    .insertInto('turns')
    .values({
      tenant: value.tenant,
      owner: value.owner,
      context_id: value.context_id,
      task_id: value.task_id,
    })
    .onConflict((conflict) => conflict.column('task_id').doNothing())
    .returning('id'),
);

const leaveQueue = prepare((db, value: { taskId: string }) =>
  db.deleteFrom('turns').where('task_id', '=', value.taskId),
);

const firstInQueue = prepare((db, value: TurnSeat) =>
  db
    .selectFrom('turns')
    .select('task_id')
    .where('tenant', '=', value.tenant)
    .where('owner', '=', value.owner)
    .where('context_id', '=', value.context_id)
    .orderBy('id')
    .limit(1),
);

/** Readers see whether a task waits for its turn, so their snapshot is stale now. */
const touchTask = prepare((db, value: { taskId: string }) =>
  db
    .updateTable('tasks')
    .set((eb) => ({ version: eb('version', '+', 1) }))
    .where('task_id', '=', value.taskId),
);

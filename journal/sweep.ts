import { type SelectQueryBuilder, sql } from 'kysely';
import { forgetContext } from './contexts.js';
import { count, forgetCounters } from './counters.js';
import type { JournalOptions } from './options.js';
import type { Db } from './prepare.js';
import type { Flag, Tables } from './schema.js';
import type { Store } from './store.js';

/** Rows in one transaction, so that a sweep holds nobody up. */
const PORTION = 500;

export interface Swept {
  deltas: number;
  events: number;
  tasks: number;
}

/**
 * Compaction and retention. Each portion is a transaction that looks for its work anew, so that several
 * processes may sweep at once and a sweep may end anywhere.
 */
export async function sweep(store: Store, options: JournalOptions, now: Date): Promise<Swept> {
  const millis = now.getTime();
  // A task goes without its events, so they go first.
  const keepEvents = Math.min(options.keepEvents, options.keepTasks);
  return {
    deltas: await inPortions(store, (db) => compactArtifact(db, millis - options.keepFragments)),
    events: await inPortions(store, (db) => removeEvents(db, millis - keepEvents)),
    tasks: await inPortions(store, (db) => removeTask(db, millis - options.keepTasks, options.contextExpiry)),
  };
}

/** Until a portion finds nothing to do, which is undefined. */
async function inPortions(store: Store, portion: (db: Db) => Promise<number | undefined>): Promise<number> {
  let total = 0;
  for (;;) {
    const removed = await store.write('lazy', ({ db }) => portion(db));
    if (removed === undefined) return total;
    total += removed;
  }
}

/** The closing event has the whole artifact: what led up to it can go. */
async function compactArtifact(db: Db, before: number): Promise<number | undefined> {
  const artifact = await db
    .selectFrom('artifacts')
    .select(['task_id', 'artifact_id', 'start_seq'])
    .where('fragmented', '=', sql.lit(1))
    .where('closed_at', '<', before)
    .orderBy('closed_at')
    .limit(1)
    .executeTakeFirst();
  if (artifact === undefined) return undefined;
  const { task_id, artifact_id, start_seq } = artifact;
  const removed = await deletePortion(db, (events) =>
    events.where('task_id', '=', task_id).where('artifact_id', '=', artifact_id).where('seq', '<', start_seq),
  );
  if (removed < PORTION) {
    await db
      .updateTable('artifacts')
      .set({ fragmented: 0 })
      .where('task_id', '=', task_id)
      .where('artifact_id', '=', artifact_id)
      .execute();
  }
  return removed;
}

/** The snapshot stays; a cursor below the floor gets that. */
async function removeEvents(db: Db, before: number): Promise<number | undefined> {
  const task = await endedTask(db, 0, before);
  if (task === undefined) return undefined;
  const { task_id, last_seq, version } = task;
  const removed = await deletePortion(db, (events) => events.where('task_id', '=', task_id));
  if (removed < PORTION)
    await db.updateTable('artifacts').set({ fragmented: 0 }).where('task_id', '=', task_id).execute();
  // The floor comes with the first portion, so that no reader sees a log with a hole.
  await db
    .updateTable('tasks')
    .set({ swept: removed < PORTION ? 1 : 0, floor_seq: last_seq, version: version + 1 })
    .where('task_id', '=', task_id)
    .execute();
  return removed;
}

/**
 * With all that belongs to it. Where contexts expire, the context's row stays, so that an expired one is
 * not taken for a new one.
 */
async function removeTask(db: Db, before: number, contextExpiry: number): Promise<number | undefined> {
  const task = await endedTask(db, 1, before);
  if (task === undefined) return undefined;
  for (const table of [
    'messages',
    'artifacts',
    'blobs',
    'transcripts',
    'sends',
    'aliases',
    'commands',
    'pushes',
    'tasks',
  ] as const) {
    await db.deleteFrom(table).where('task_id', '=', task.task_id).execute();
  }
  if (task.visible === 1) await count(db, task, task.state, undefined);
  await forgetCounters(db, task);
  if (contextExpiry === Infinity) await forgetContext(db, task);
  return 1;
}

function endedTask(db: Db, swept: Flag, before: number) {
  if (before === -Infinity) return undefined;
  return db
    .selectFrom('tasks')
    .select(['task_id', 'tenant', 'owner', 'agent', 'context_id', 'state', 'visible', 'last_seq', 'version'])
    .where('swept', '=', swept)
    .where('ended_at', '<', before)
    .orderBy('ended_at')
    .limit(1)
    .executeTakeFirst();
}

type EventIds = SelectQueryBuilder<Tables, 'events', { id: number }>;

async function deletePortion(db: Db, which: (events: EventIds) => EventIds): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('events')
    .where('id', 'in', which(db.selectFrom('events').select('id')).orderBy('seq').limit(PORTION))
    .executeTakeFirst();
  return Number(numDeletedRows);
}

import { sql } from 'kysely';
import type { Command } from '../core/journal.js';
import type { PushClaim, PushFailure, PushLease, PushLog } from '../core/push.js';
import { recordCommand } from './commands.js';
import type { Db } from './prepare.js';
import { claimOf, readPush, updatePush, type PushRow } from './push-rows.js';

/** Rows that one pass over what lies about takes up. */
const PORTION = 500;

/** `PushLog.duePushes`. */
export async function duePushes(db: Db, limit: number, now: number): Promise<string[]> {
  const rows = await db
    .selectFrom('pushes')
    .select('push_id')
    .where('due', '=', sql.lit(1))
    .where('held_until', '<=', now)
    .orderBy('held_until')
    .limit(limit)
    .execute();
  return rows.map((row) => row.push_id);
}

/** `PushLog.claimPush` in one transaction. */
export async function claimPush(
  db: Db,
  pushId: string,
  lease: PushLease,
  attempt: 'first' | 'retry',
  now: number,
): ReturnType<PushLog['claimPush']> {
  const row = await readPush(db, pushId);
  if (row === undefined || !isWanted(row, attempt)) return { outcome: 'over' };
  if (row.holder !== null && row.held_until > now) return { outcome: 'busy' };
  if (row.next_attempt_at !== null && row.next_attempt_at > now) {
    return { outcome: 'early', nextAttemptAt: row.next_attempt_at };
  }
  await updatePush(db, { ...row, holder: lease.holder, held_until: lease.until });
  return claimOf(row);
}

/** A receiver that has failed is Temporal's, until it has caught up. */
function isWanted({ state, due }: PushRow, attempt: 'first' | 'retry'): boolean {
  return attempt === 'retry' ? state === 'retrying' : state === 'active' && due === 1;
}

/** `PushLog.extendPush` in one transaction. */
export async function extendPush(db: Db, pushId: string, lease: PushLease): Promise<boolean> {
  const row = await heldPush(db, pushId, lease);
  if (row === undefined) return false;
  await updatePush(db, { ...row, held_until: lease.until });
  return true;
}

/** `PushLog.confirmPush` in one transaction. */
export async function confirmPush(
  db: Db,
  pushId: string,
  lease: PushLease,
  seq: number,
  now: number,
): Promise<PushClaim | 'over'> {
  const row = await heldPush(db, pushId, lease);
  if (row === undefined) return 'over';
  const done = seq >= row.due_seq;
  const confirmed: PushRow = {
    ...row,
    delivered_seq: Math.max(seq, row.delivered_seq),
    attempts: 0,
    failing_since: null,
    last_error: null,
    last_attempt_at: now,
    // Of a workflow that is lost meanwhile, `restartPushes` finds the row by it.
    next_attempt_at: row.state === 'retrying' ? now : null,
    held_until: lease.until,
    ...(done && { state: 'active', due: 0, next_attempt_at: null, ...FREE }),
  };
  await updatePush(db, confirmed);
  return done ? 'over' : claimOf(confirmed);
}

/** `PushLog.failPush` in one transaction. */
export async function failPush(
  db: Db,
  pushId: string,
  lease: PushLease,
  { reason, nextAttemptAt }: PushFailure,
  now: number,
): Promise<Command[]> {
  const row = await heldPush(db, pushId, lease);
  if (row === undefined) return [];
  const given = nextAttemptAt !== undefined;
  await updatePush(db, {
    ...row,
    state: given ? 'retrying' : 'dead',
    due: 0,
    ...FREE,
    attempts: row.attempts + 1,
    failing_since: row.failing_since ?? now,
    last_error: reason,
    last_attempt_at: now,
    next_attempt_at: nextAttemptAt ?? null,
  });
  return given && row.state !== 'retrying' ? [await recordRetry(db, row, now)] : [];
}

/** `PushLog.yieldPush` in one transaction. */
export async function yieldPush(db: Db, pushId: string, lease: PushLease): Promise<void> {
  const row = await heldPush(db, pushId, lease);
  if (row !== undefined) await updatePush(db, { ...row, ...FREE });
}

/** `PushLog.restartPushes` in one transaction. */
export async function restartPushes(db: Db, before: number, now: number): Promise<Command[]> {
  const rows = await db
    .selectFrom('pushes')
    .selectAll()
    .where('state', '=', sql.lit('retrying'))
    .where('next_attempt_at', '<', before)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('commands')
            .select('commands.id')
            .whereRef('commands.task_id', '=', 'pushes.task_id')
            .where('commands.kind', '=', 'retryPush'),
        ),
      ),
    )
    .orderBy('next_attempt_at')
    .limit(PORTION)
    .execute();
  const commands: Command[] = [];
  for (const row of rows) {
    // Not again before the same time has passed once more.
    await updatePush(db, { ...row, next_attempt_at: now });
    commands.push(await recordRetry(db, row, now));
  }
  return commands;
}

const FREE = { holder: null, held_until: 0 } as const;

/** Undefined where the config is gone or somebody else holds it by now. */
async function heldPush(db: Db, pushId: string, { holder }: PushLease): Promise<PushRow | undefined> {
  const row = await readPush(db, pushId);
  return row?.holder === holder ? row : undefined;
}

function recordRetry(db: Db, { task_id: taskId, push_id: pushId }: PushRow, now: number): Promise<Command> {
  return recordCommand(db, { taskId, kind: 'retryPush', pushId }, now);
}

import type { Scope } from '../core/caller.js';
import { invalidParams, taskNotFound } from '../core/errors.js';
import type { Command } from '../core/journal.js';
import { isPushed, type PushConfig, type PushProgress, type PushRegistration } from '../core/push.js';
import { recordCommand } from './commands.js';
import { readEvents } from './events.js';
import { hash } from './keys.js';
import type { JournalOptions } from './options.js';
import type { Db } from './prepare.js';
import {
  configOf,
  deletePush,
  insertPush,
  pushesOf,
  pushOfConfig,
  type PushRow,
  updatePush,
} from './push-rows.js';
import { isVisible, readTaskRow, type TaskRow } from './rows.js';
import { stampAt } from './stamp.js';
import type { Transaction } from './store.js';

/** `PushLog.putPushConfig` in one transaction. */
export async function putPushConfig(
  tx: Transaction,
  scope: Scope,
  taskId: string,
  registration: PushRegistration,
  options: JournalOptions,
): Promise<{ config: PushConfig; commands: Command[] }> {
  return registerPush(tx, await ownTask(tx.db, scope, taskId), registration, options);
}

/** Part of the transaction that accepts a send, or one of its own. */
export async function registerPush(
  { db }: Transaction,
  { task_id: taskId, last_seq }: Pick<TaskRow, 'task_id' | 'last_seq'>,
  { id, dialect, url, token, authentication }: PushRegistration,
  { maxPushConfigs, now: clock }: JournalOptions,
): Promise<{ config: PushConfig; commands: Command[] }> {
  const now = clock();
  const target = {
    dialect,
    url,
    token: token ?? null,
    scheme: authentication?.scheme ?? null,
    credentials: authentication?.credentials ?? null,
  };
  const known = await pushOfConfig(db, taskId, id);
  if (known !== undefined) return replacePush(db, { ...known, ...target }, now);
  if ((await pushesOf(db, taskId, { limit: maxPushConfigs })).length === maxPushConfigs) {
    throw invalidParams('taskId', `a task has at most ${maxPushConfigs} push notification configs`);
  }
  const row: PushRow = {
    push_id: stampAt(now).id('push'),
    task_id: taskId,
    config_id: id,
    ...target,
    state: 'active',
    delivered_seq: last_seq,
    due_seq: last_seq,
    due: 0,
    holder: null,
    held_until: 0,
    attempts: 0,
    failing_since: null,
    last_error: null,
    last_attempt_at: null,
    next_attempt_at: null,
  };
  await insertPush(db, row);
  return { config: configOf(row), commands: [] };
}

/** Another address or secret may be what was wrong: the receiver is tried at once, from where it stands. */
async function replacePush(db: Db, row: PushRow, now: number) {
  const commands: Command[] = [];
  const fresh: PushRow = { ...row, attempts: 0, failing_since: null };
  if (row.state === 'retrying') {
    fresh.next_attempt_at = now;
    commands.push(await recordCommand(db, wakeOf(row), now));
  } else {
    fresh.state = 'active';
    fresh.due = row.due_seq > row.delivered_seq ? 1 : 0;
  }
  await updatePush(db, fresh);
  return { config: configOf(fresh), commands };
}

/** `PushLog.readPushConfig`. */
export async function readPushConfig(
  db: Db,
  scope: Scope,
  taskId: string,
  id?: string,
): Promise<PushConfig | undefined> {
  if (!isVisible(await readTaskRow(db, taskId), scope)) return undefined;
  const row =
    id === undefined ? (await pushesOf(db, taskId, { limit: 1 })).at(0) : await pushOfConfig(db, taskId, id);
  return row && configOf(row);
}

/** `PushLog.listPushConfigs`, on a snapshot. */
export async function listPushConfigs(
  db: Db,
  scope: Scope,
  taskId: string,
  { size, token }: { size: number; token?: string },
): Promise<{ configs: PushConfig[]; nextPageToken: string }> {
  await ownTask(db, scope, taskId);
  const after = token === undefined ? '' : readToken(taskId, token);
  const rows = await pushesOf(db, taskId, { limit: size + 1, after });
  const page = rows.slice(0, size);
  const last = rows.length > size ? page.at(-1) : undefined;
  return {
    configs: page.map(configOf),
    nextPageToken: last === undefined ? '' : writeToken(taskId, last.push_id),
  };
}

/** `PushLog.deletePushConfig` in one transaction. */
export async function deletePushConfig(
  { db }: Transaction,
  scope: Scope,
  taskId: string,
  id: string,
  now: number,
): Promise<Command[]> {
  await ownTask(db, scope, taskId);
  const row = await pushOfConfig(db, taskId, id);
  if (row === undefined) return [];
  await deletePush(db, { pushId: row.push_id });
  return row.state === 'retrying' ? [await recordCommand(db, wakeOf(row), now)] : [];
}

/** `PushLog.readPushProgress`, on a snapshot. */
export async function readPushProgress(
  db: Db,
  scope: Scope,
  taskId: string,
  id: string,
  limit: number,
): Promise<PushProgress | undefined> {
  if (!isVisible(await readTaskRow(db, taskId), scope)) return undefined;
  const row = await pushOfConfig(db, taskId, id);
  if (row === undefined) return undefined;
  return {
    pushId: row.push_id,
    configId: id,
    state: row.state,
    deliveredSeq: row.delivered_seq,
    attempts: row.attempts,
    ...(row.last_error !== null && { lastError: row.last_error }),
    ...(row.last_attempt_at !== null && { lastAttemptAt: row.last_attempt_at }),
    ...(row.next_attempt_at !== null && { nextAttemptAt: row.next_attempt_at }),
    undelivered: await undelivered(db, row, limit),
  };
}

const PORTION = 256;

async function undelivered(db: Db, { task_id, delivered_seq, due_seq }: PushRow, limit: number) {
  const found = [];
  for (let after = delivered_seq; after < due_seq && found.length < limit;) {
    const events = await readEvents(db, task_id, after, PORTION);
    // Retention may have removed them.
    if (events.length === 0) break;
    found.push(...events.filter(({ event }) => isPushed(event)));
    after = events.at(-1)!.seq;
  }
  return found.slice(0, limit);
}

async function ownTask(db: Db, scope: Scope, taskId: string): Promise<TaskRow> {
  const row = await readTaskRow(db, taskId);
  if (!isVisible(row, scope)) throw taskNotFound(taskId);
  return row;
}

function wakeOf({ task_id: taskId, push_id: pushId }: PushRow) {
  return { taskId, kind: 'wakePush' as const, pushId };
}

function writeToken(taskId: string, after: string): string {
  return Buffer.from(JSON.stringify([after, hash(taskId, after).slice(0, 12)])).toString('base64url');
}

/** A token belongs to its task: any other is refused. */
function readToken(taskId: string, token: string): string {
  try {
    const [after] = JSON.parse(Buffer.from(token, 'base64url').toString()) as unknown[];
    if (typeof after === 'string' && token === writeToken(taskId, after)) return after;
  } catch {
    // Refused below.
  }
  throw invalidParams('pageToken', 'is not a token of this list');
}

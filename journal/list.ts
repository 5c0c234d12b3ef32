import { invalidParams } from '../core/errors.js';
import type { TaskPage, TaskQuery } from '../core/journal.js';
import type { Task, TaskState } from '../core/task.js';
import { sql } from 'kysely';
import { counted } from './counters.js';
import { canonicalJson, hash } from './keys.js';
import type { Db } from './prepare.js';
import { loadTask, type Snapshots, viewTask } from './snapshots.js';

/**
 * `JournalReads.list`, on a snapshot. Pages follow the index (status time, id) from the newest down, so a
 * page costs the same wherever it lies. A task whose status changes between two pages moves to the front:
 * it is not seen twice, and nothing else is missed.
 */
export async function listTasks(db: Db, snapshots: Snapshots, query: TaskQuery): Promise<TaskPage> {
  const { pageSize, historyLength, includeArtifacts: artifacts } = query;
  const after = query.pageToken === undefined ? undefined : readToken(query, query.pageToken);
  const rows = await matching(db, query)
    .selectAll()
    .$if(after !== undefined, (page) =>
      page.where((eb) =>
        eb(eb.refTuple('status_time', 'task_id'), '<', eb.tuple(after!.time, after!.taskId)),
      ),
    )
    .orderBy('status_time', 'desc')
    .orderBy('task_id', 'desc')
    .limit(pageSize + 1)
    .execute();
  const page = rows.slice(0, pageSize);
  const tasks: Task[] = [];
  for (const row of page) {
    const known = snapshots.cached(row.task_id, row.version);
    const options = { artifacts, ...(historyLength !== undefined && { historyLength }) };
    tasks.push(known === undefined ? await loadTask(db, row, options) : viewTask(known.task, options));
  }
  const last = rows.length > pageSize ? page.at(-1) : undefined;
  return {
    tasks,
    nextPageToken: last === undefined ? '' : writeToken(query, last.status_time, last.task_id),
    totalSize: await totalSize(db, query),
  };
}

function matching(db: Db, { scope, contextId, status, statusTimestampAfter }: TaskQuery) {
  return db
    .selectFrom('tasks')
    .where('tenant', '=', scope.tenant)
    .where('owner', '=', scope.owner)
    .where('agent', '=', scope.agent)
    .where('visible', '=', sql.lit(1))
    .$if(contextId !== undefined, (query) => query.where('context_id', '=', contextId!))
    .$if(status !== undefined, (query) =>
      query.where((eb) =>
        // Not `in ()`, which is no SQL of one of the databases.
        eb.or(statesOf(status!).map((state) => eb('state', '=', state))),
      ),
    )
    .$if(statusTimestampAfter !== undefined, (query) =>
      query.where('status_time', '>=', utcTime(statusTimestampAfter!)),
    );
}

/** From the counters; where a time bounds the list, by counting in the index what is not older than that. */
async function totalSize(db: Db, query: TaskQuery): Promise<number> {
  const { scope, contextId, status } = query;
  if (query.statusTimestampAfter === undefined) {
    return counted(db, scope, contextId, status && statesOf(status));
  }
  const { total } = await matching(db, query)
    .select((eb) => eb.fn.countAll<number | string>().as('total'))
    .executeTakeFirstOrThrow();
  return Number(total);
}

function statesOf(status: TaskState | readonly TaskState[]): readonly TaskState[] {
  return typeof status === 'string' ? [status] : status;
}

/** Rows keep milliseconds in UTC, so that text order is time order. */
function utcTime(time: string): string {
  const millis = Date.parse(time);
  if (Number.isNaN(millis)) throw invalidParams('statusTimestampAfter', 'is not an ISO 8601 time');
  return new Date(millis).toISOString();
}

/** A token belongs to its query: with another filter, or changed in any way, it is refused. */
function writeToken(query: TaskQuery, time: string, taskId: string): string {
  const { scope, contextId, status, statusTimestampAfter } = query;
  const filter = canonicalJson({ ...scope, contextId, status, statusTimestampAfter });
  const seal = hash(filter, time, taskId).slice(0, 12);
  return Buffer.from(JSON.stringify([time, taskId, seal])).toString('base64url');
}

function readToken(query: TaskQuery, token: string): { time: string; taskId: string } {
  try {
    const [time, taskId] = JSON.parse(Buffer.from(token, 'base64url').toString()) as unknown[];
    if (typeof time === 'string' && typeof taskId === 'string' && token === writeToken(query, time, taskId)) {
      return { time, taskId };
    }
  } catch {
    // Refused below.
  }
  throw invalidParams('pageToken', 'is not a token of this list');
}

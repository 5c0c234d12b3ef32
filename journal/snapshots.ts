import type { Scope } from '../core/caller.js';
import { foldArtifact } from '../core/fold.js';
import type { ReadOptions, StoredTask } from '../core/journal.js';
import type { Artifact, Message, Metadata, Task, TaskStatus } from '../core/task.js';
import { readArtifacts } from './artifacts.js';
import { parseWhole } from './blobs.js';
import { readEvents } from './events.js';
import { deepFreeze } from './freeze.js';
import { type Db, prepare } from './prepare.js';
import { readTaskRow, type TaskRow } from './rows.js';
import type { Store } from './store.js';
import { waitsForTurn } from './turns.js';

/** Most events to fold onto an earlier snapshot: beyond that reading anew is as fast. */
const FOLD_LIMIT = 500;

interface Entry {
  version: number;
  stored: StoredTask;
  /** Bytes of its JSON, roughly. */
  weight: number;
}

/**
 * Tasks as readers see them. A snapshot that was read before is given again as long as the row's version
 * is the same: one look-up by primary key. Snapshots are frozen, since all readers share them.
 */
export class Snapshots {
  readonly #store: Store;
  readonly #limit: number;
  /** Oldest use first. */
  readonly #cache = new Map<string, Entry>();
  #weight = 0;

  constructor(store: Store, limit: number) {
    this.#store = store;
    this.#limit = limit;
  }

  /** With a scope: undefined for unknown, foreign and hidden rows alike. */
  async read(
    taskId: string,
    scope: Scope | undefined,
    options: ReadOptions = {},
  ): Promise<StoredTask | undefined> {
    const [head] = await headOf(this.#store.reader, { taskId });
    if (head === undefined) return undefined;
    if (scope !== undefined) {
      const own = head.tenant === scope.tenant && head.owner === scope.owner && head.agent === scope.agent;
      if (!own || head.visible === 0) return undefined;
    }
    const stored = this.cached(taskId, head.version) ?? (await this.#load(taskId));
    return stored && view(stored, options);
  }

  cached(taskId: string, version: number): StoredTask | undefined {
    const entry = this.#cache.get(taskId);
    if (entry?.version !== version) return undefined;
    this.#cache.delete(taskId);
    this.#cache.set(taskId, entry);
    return entry.stored;
  }

  async #load(taskId: string): Promise<StoredTask | undefined> {
    const entry = await this.#store.snapshot(async (db): Promise<Entry | undefined> => {
      const row = await readTaskRow(db, taskId);
      if (row === undefined) return undefined;
      const known = this.#cache.get(taskId);
      // A row that was lost and restored counts its versions anew.
      const earlier = known !== undefined && known.version < row.version ? known.stored : undefined;
      const task = await loadTask(db, row, {}, earlier);
      const waiting = await waitsForTurn(db, { taskId });
      const direct = row.direct === null ? [] : await parseWhole<Message>(db, taskId, [row.direct]);
      const stored = toStored(row, task, waiting.length > 0, direct[0]);
      return { version: row.version, stored: deepFreeze(stored), weight: JSON.stringify(stored).length };
    });
    if (entry !== undefined) this.#keep(taskId, entry);
    return entry?.stored;
  }

  #keep(taskId: string, entry: Entry): void {
    this.#forget(taskId);
    if (entry.weight > this.#limit / 4) return;
    this.#cache.set(taskId, entry);
    this.#weight += entry.weight;
    for (const oldest of this.#cache.keys()) {
      if (this.#weight <= this.#limit) break;
      this.#forget(oldest);
    }
  }

  #forget(taskId: string): void {
    this.#weight -= this.#cache.get(taskId)?.weight ?? 0;
    this.#cache.delete(taskId);
  }
}

/**
 * The task of a row, on a snapshot of the database. From a whole snapshot of an earlier moment only what
 * came since has to be read.
 */
export async function loadTask(
  db: Db,
  row: TaskRow,
  options: ReadOptions,
  earlier?: StoredTask,
): Promise<Task> {
  const artifacts =
    options.artifacts === false
      ? []
      : ((earlier && (await foldOn(db, row, earlier))) ?? (await readArtifacts(db, row.task_id)));
  const known = earlier?.task.history ?? [];
  const history = [...known, ...(await loadHistory(db, row, options.historyLength, known.length))];
  const [message] =
    row.status_message === null ? [] : await parseWhole<Message>(db, row.task_id, [row.status_message]);
  const status: TaskStatus = {
    state: row.state,
    ...(message && { message }),
    timestamp: row.status_time,
  };
  return {
    id: row.task_id,
    contextId: row.context_id,
    status,
    ...(artifacts.length > 0 && { artifacts }),
    ...(history.length > 0 && { history }),
    ...(row.metadata !== null && { metadata: JSON.parse(row.metadata) as Metadata }),
  };
}

/** What the reader asked for of a whole snapshot. */
function view(stored: StoredTask, options: ReadOptions): StoredTask {
  const task = viewTask(stored.task, options);
  return task === stored.task ? stored : { ...stored, task };
}

export function viewTask(task: Task, { historyLength, artifacts }: ReadOptions): Task {
  const whole = task.history?.length ?? 0;
  const cut = historyLength !== undefined && historyLength < whole;
  if (!cut && (artifacts !== false || task.artifacts === undefined)) return task;
  const part = { ...task };
  if (artifacts === false) delete part.artifacts;
  if (cut && historyLength > 0) part.history = task.history!.slice(whole - historyLength);
  else if (cut) delete part.history;
  return part;
}

/** The earlier artifacts with the events since folded in; undefined where those are gone or too many. */
async function foldOn(db: Db, row: TaskRow, earlier: StoredTask): Promise<Artifact[] | undefined> {
  if (row.floor_seq > earlier.lastSeq) return undefined;
  const events = await readEvents(db, row.task_id, earlier.lastSeq, FOLD_LIMIT);
  if (events.length === FOLD_LIMIT) return undefined;
  let artifacts = earlier.task.artifacts ?? [];
  for (const { event } of events) {
    if ('artifactUpdate' in event) artifacts = foldArtifact(artifacts, event.artifactUpdate);
  }
  return artifacts;
}

/** The newest messages from a position on. */
async function loadHistory(db: Db, row: TaskRow, length = row.history_size, from = 0): Promise<Message[]> {
  const position = Math.max(from, row.history_size - length);
  if (position >= row.history_size) return [];
  const rows = await historyFrom(db, { taskId: row.task_id, position });
  return parseWhole<Message>(
    db,
    row.task_id,
    rows.map(({ body }) => body),
  );
}

function toStored(
  row: TaskRow,
  task: Task,
  waitingForTurn: boolean,
  message: Message | undefined,
): StoredTask {
  return {
    task,
    lastSeq: row.last_seq,
    agent: row.agent,
    caller: { tenant: row.tenant, owner: row.owner },
    ...(message && { message }),
    visible: row.visible === 1,
    waitingForTurn,
    floorSeq: row.floor_seq,
  };
}

const headOf = prepare((db, value: { taskId: string }) =>
  db
    .selectFrom('tasks')
    .select(['version', 'tenant', 'owner', 'agent', 'visible'])
    .where('task_id', '=', value.taskId),
);

const historyFrom = prepare((db, value: { taskId: string; position: number }) =>
  db
    .selectFrom('messages')
    .select('body')
    .where('task_id', '=', value.taskId)
    .where('position', '>=', value.position)
    .orderBy('position'),
);

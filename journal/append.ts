import type { Append, AppendResult, Entry } from '../core/journal.js';
import { record, type Recorded, type RecordState } from '../core/record.js';
import { isSettled, isTerminal } from '../core/states.js';
import type { Artifact } from '../core/task.js';
import { readArtifactWhole } from './artifacts.js';
import { BlobWriter } from './blobs.js';
import { Draft } from './draft.js';
import { entryKeys } from './keys.js';
import { type Db, prepare } from './prepare.js';
import { readTaskRow, type TaskRow } from './rows.js';
import { stampAt } from './stamp.js';
import type { Transaction } from './store.js';
import { requestTurn } from './turns.js';

export interface Appended {
  result: AppendResult;
  /** Entries that came too late. */
  dropped: number;
}

/** `JournalAppend.append` in one transaction. */
export async function append(tx: Transaction, input: Append, now: number): Promise<Appended> {
  const { taskId, prevKey, entries } = input;
  const row = await readTaskRow(tx.db, taskId);
  if (row === undefined) return { result: resultOf('unknown', undefined, prevKey), dropped: 0 };
  const keys = entryKeys(prevKey, new BlobWriter().detach(entries));
  const before = await findRecorded(tx.db, row, entries, keys);
  const rest = entries.slice(before.count).map((entry) => withRecordedId(entry, before.artifactIds));
  const lastKey = keys[before.count - 1] ?? prevKey;
  const answer = (outcome: AppendResult['outcome']): AppendResult => ({
    ...resultOf(outcome, row, lastKey),
    statusSeq: before.statusSeq,
    artifactIds: before.artifactIds,
  });
  if (rest.length === 0) return { result: answer('recorded'), dropped: 0 };
  if (isTerminal(row.state)) return { result: answer('terminal'), dropped: rest.length };

  const draft = new Draft(tx, row, now);
  const recorded = recordAll(await stateOf(tx.db, draft, rest), rest, now);
  if (recorded.some(({ takesTurn }) => takesTurn) && !(await requestTurn(tx.db, row, now))) {
    return { result: answer('turn'), dropped: 0 };
  }
  let { statusSeq } = before;
  for (const [at, one] of recorded.entries()) {
    const entry = rest[at]!;
    await draft.add(one, keys[before.count + at]!, endsStream(entry) ? '' : undefined);
    if (entry.kind === 'metadata') draft.setMetadata(entry.metadata);
    if (entry.kind === 'status') statusSeq = draft.row.last_seq;
  }
  draft.row.last_key = keys.at(-1) ?? prevKey;
  const commands = await draft.save();
  return {
    result: {
      outcome: 'recorded',
      state: draft.row.state,
      lastSeq: draft.row.last_seq,
      statusSeq,
      lastKey: draft.row.last_key,
      artifactIds: before.artifactIds,
      commands,
      ...(draft.pushes.length > 0 && { pushes: draft.pushes }),
    },
    dropped: rest.length - recorded.length,
  };
}

function resultOf(outcome: AppendResult['outcome'], row: TaskRow | undefined, lastKey: string): AppendResult {
  return {
    outcome,
    state: row?.state ?? 'TASK_STATE_SUBMITTED',
    lastSeq: row?.last_seq ?? 0,
    statusSeq: 0,
    lastKey,
    artifactIds: {},
    commands: [],
  };
}

/**
 * How many of the entries are in the log already. A key hashes all that went before it, so the last one
 * that is found vouches for those before, also for such as take no event.
 */
async function findRecorded(db: Db, row: TaskRow, entries: Entry[], keys: string[]) {
  const artifactIds: Record<string, string> = {};
  const nothing = { count: 0, statusSeq: 0, artifactIds };
  if (keys.length === 0) return nothing;
  const found = new Map<string, { seq: number; artifact_id: string | null } | undefined>();
  for (const event of await eventsByKey(keys.length)(db, {
    taskId: row.task_id,
    ...Object.fromEntries(keys.entries()),
  })) {
    found.set(event.key, event);
  }
  if (entries.some((entry) => entry.kind === 'received')) {
    for (const message of await messagesByKey(db, row.task_id, keys)) found.set(message.key!, undefined);
  }
  found.set(row.last_key, found.get(row.last_key));
  const count = keys.findLastIndex((key) => found.has(key)) + 1;
  let statusSeq = 0;
  for (const [at, entry] of entries.slice(0, count).entries()) {
    const event = found.get(keys[at]!);
    if (event === undefined) continue;
    if (entry.kind === 'status') statusSeq = event.seq;
    if (entry.kind !== 'artifact' || event.artifact_id === null) continue;
    if (event.artifact_id !== entry.artifact.artifactId)
      artifactIds[entry.artifact.artifactId] = event.artifact_id;
  }
  return { count, statusSeq, artifactIds };
}

/** An earlier attempt gave the artifact another id, by which its readers know it. */
function withRecordedId(entry: Entry, artifactIds: Record<string, string>): Entry {
  if (entry.kind === 'close') {
    const artifactId = artifactIds[entry.artifactId];
    return artifactId === undefined ? entry : { ...entry, artifactId };
  }
  if (entry.kind !== 'artifact') return entry;
  const artifactId = artifactIds[entry.artifact.artifactId];
  return artifactId === undefined ? entry : { ...entry, artifact: { ...entry.artifact, artifactId } };
}

/** What is recorded before the task is over. */
function recordAll(state: RecordState, entries: Entry[], now: number): Recorded[] {
  const stamp = stampAt(now);
  const all: Recorded[] = [];
  for (const entry of entries) {
    const recorded = record(state, entry, stamp);
    if (recorded === undefined) break;
    all.push(recorded);
    state = recorded.state;
  }
  return all;
}

/** The task as far as `record` looks at it for these entries. */
export async function stateOf(db: Db, draft: Draft, entries: readonly Entry[]): Promise<RecordState> {
  const { row } = draft;
  const artifacts: Artifact[] = [];
  const open: string[] = [];
  if (row.last_seq > 1 && entries.some(concernsArtifacts)) {
    for (const [artifactId, artifact] of await draft.artifacts()) {
      if (artifact.open === 1) open.push(artifactId);
      const whole = entries.some((entry) => needsWhole(entry, artifactId, artifact.open === 1))
        ? await readArtifactWhole(db, row.task_id, artifactId)
        : undefined;
      artifacts.push(whole ?? { artifactId, parts: [] });
    }
  }
  const task = {
    id: row.task_id,
    contextId: row.context_id,
    status: { state: row.state, timestamp: row.status_time },
    artifacts,
  };
  return { task, visible: row.visible === 1, open };
}

function concernsArtifacts(entry: Entry): boolean {
  if (entry.kind === 'status') return isSettled(entry.state);
  return entry.kind === 'artifact' || entry.kind === 'close' || entry.kind === 'message';
}

function needsWhole(entry: Entry, artifactId: string, open: boolean): boolean {
  switch (entry.kind) {
    case 'artifact':
      return entry.artifact.artifactId === artifactId && entry.append && (entry.lastChunk || !open);
    case 'close':
      return entry.artifactId === artifactId;
    case 'status':
      return open && isSettled(entry.state);
    case 'message':
      return open;
    case 'received':
    case 'metadata':
      return false;
  }
}

/** After the workflow's own close, a fragment can only be a straggler. */
function endsStream(entry: Entry): boolean {
  return entry.kind === 'close' || (entry.kind === 'artifact' && entry.lastChunk);
}

type EventsByKey = ReturnType<typeof prepareEventsByKey>;
const byNumberOfKeys = new Map<number, EventsByKey>();

function eventsByKey(keys: number): EventsByKey {
  let query = byNumberOfKeys.get(keys);
  if (query === undefined) byNumberOfKeys.set(keys, (query = prepareEventsByKey(keys)));
  return query;
}

function prepareEventsByKey(keys: number) {
  return prepare((db, value: { taskId: string; [key: number]: string }) =>
    db
      .selectFrom('events')
      .select(['key', 'seq', 'artifact_id'])
      .where('task_id', '=', value.taskId)
      .where(
        'key',
        'in',
        Array.from({ length: keys }, (_, at) => value[at]!),
      ),
  );
}

function messagesByKey(db: Db, taskId: string, keys: string[]) {
  return db
    .selectFrom('messages')
    .select('key')
    .where('task_id', '=', taskId)
    .where('key', 'in', keys)
    .execute();
}

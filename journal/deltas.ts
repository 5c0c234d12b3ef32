import type { Delta } from '../core/journal.js';
import { recordFragment, type RecordState } from '../core/record.js';
import { isTerminal } from '../core/states.js';
import type { Artifact } from '../core/task.js';
import { readArtifactWhole } from './artifacts.js';
import { Draft } from './draft.js';
import { type Db, prepare } from './prepare.js';
import { readTaskRow } from './rows.js';
import type { Transaction } from './store.js';

/**
 * Fragments of one task, in order. Gives the number of those that were dropped: from the first on whose
 * writer should stop, because the task is over, or a later attempt writes the artifact by now, or the
 * workflow has closed it.
 */
export async function appendFragments(
  tx: Transaction,
  taskId: string,
  deltas: readonly Delta[],
  now: number,
): Promise<number> {
  const row = await readTaskRow(tx.db, taskId);
  if (row === undefined || isTerminal(row.state)) return deltas.length;
  const draft = new Draft(tx, row, now);
  for (const [at, delta] of deltas.entries()) {
    const key = fragmentKey(delta.key);
    const [known] = await eventByKey(tx.db, { taskId, key });
    if (known !== undefined) continue;
    const written = await appendFragment(tx.db, draft, delta, key);
    if (!written) {
      await saveIfAdvanced(draft, row.last_seq);
      return deltas.length - at;
    }
  }
  await saveIfAdvanced(draft, row.last_seq);
  return 0;
}

async function appendFragment(db: Db, draft: Draft, delta: Delta, key: string): Promise<boolean> {
  const { row } = draft;
  const known = (await draft.artifacts()).get(delta.artifactId);
  const attempt = attemptOf(delta.key);
  if (known !== undefined && isStraggler(known.stream, attempt, delta.append)) return false;
  const open = known?.open === 1;
  // Only one that goes on after it was closed is written whole again.
  const whole =
    known !== undefined && !open && delta.append
      ? await readArtifactWhole(db, row.task_id, delta.artifactId)
      : undefined;
  const state: RecordState = {
    task: {
      id: row.task_id,
      contextId: row.context_id,
      status: { state: row.state, timestamp: row.status_time },
      artifacts: known === undefined ? [] : [whole ?? { artifactId: delta.artifactId, parts: [] }],
    },
    visible: row.visible === 1,
    open: open ? [delta.artifactId] : [],
  };
  const recorded = recordFragment(state, fragment(delta), delta.append);
  if (recorded === undefined) return false;
  await draft.add(recorded, key, attempt.name);
  return true;
}

async function saveIfAdvanced(draft: Draft, lastSeq: number): Promise<void> {
  if (draft.row.last_seq > lastSeq) await draft.save();
}

function fragment({ artifactId, name, metadata, text }: Delta): Artifact {
  return {
    artifactId,
    ...(name !== undefined && { name }),
    parts: [{ text }],
    ...(metadata !== undefined && { metadata }),
  };
}

/** Apart from the keys of entries, which are hashes. */
function fragmentKey(key: string): string {
  return `fragment:${key}`;
}

interface Attempt {
  /** All of a fragment's key but its last number. */
  name: string;
  stream: string;
  number: number;
}

/** `s3:2:17` is fragment 17 of attempt 2 at stream `s3`. */
function attemptOf(key: string): Attempt {
  const name = key.slice(0, Math.max(0, key.lastIndexOf(':')));
  const colon = name.lastIndexOf(':');
  return { name, stream: name.slice(0, Math.max(0, colon)), number: Number(name.slice(colon + 1)) };
}

/** `current` is the attempt that the artifact's row names. */
function isStraggler(current: string | null, attempt: Attempt, append: boolean): boolean {
  if (current === null || current === attempt.name) return false;
  if (append) return true;
  const other = attemptOf(`${current}:`);
  return other.stream === attempt.stream && attempt.number < other.number;
}

const eventByKey = prepare((db, value: { taskId: string; key: string }) =>
  db.selectFrom('events').select('seq').where('task_id', '=', value.taskId).where('key', '=', value.key),
);

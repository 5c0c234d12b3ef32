import { foldArtifact } from '../core/fold.js';
import type { Artifact, StreamResponse } from '../core/task.js';
import { parseWhole } from './blobs.js';
import type { Db } from './prepare.js';
import { type ArtifactRow, artifactRow, fragmentsFrom } from './rows.js';

/**
 * The artifact with its content: a closed one as it was closed, an open one as the fold of its fragments
 * so far (A18). Undefined where the row is gone.
 */
export async function readArtifactWhole(
  db: Db,
  taskId: string,
  artifactId: string,
): Promise<Artifact | undefined> {
  const [row] = await artifactRow(db, { taskId, artifactId });
  if (row === undefined) return undefined;
  if (row.body === null) return foldFragments(db, row);
  const [artifact] = await parseWhole<Artifact>(db, taskId, [row.body]);
  return artifact;
}

/** All of a task's artifacts, in the order in which they began. */
export async function readArtifacts(db: Db, taskId: string): Promise<Artifact[]> {
  const rows = await db
    .selectFrom('artifacts')
    .selectAll()
    .where('task_id', '=', taskId)
    .orderBy('position')
    .execute();
  const closed = rows.flatMap(({ body }) => (body === null ? [] : [body]));
  const whole = await parseWhole<Artifact>(db, taskId, closed);
  const artifacts: Artifact[] = [];
  for (const row of rows) {
    const artifact = row.body === null ? await foldFragments(db, row) : whole.shift();
    if (artifact !== undefined) artifacts.push(artifact);
  }
  return artifacts;
}

async function foldFragments(db: Db, row: ArtifactRow): Promise<Artifact | undefined> {
  const { task_id: taskId, artifact_id: artifactId, start_seq: seq } = row;
  const rows = await fragmentsFrom(db, { taskId, artifactId, seq });
  const events = await parseWhole<StreamResponse>(
    db,
    taskId,
    rows.map(({ body }) => body),
  );
  let artifacts: Artifact[] = [];
  for (const event of events) {
    if ('artifactUpdate' in event) artifacts = foldArtifact(artifacts, event.artifactUpdate);
  }
  return artifacts[0];
}

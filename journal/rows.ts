import type { Selectable } from 'kysely';
import type { Scope } from '../core/caller.js';
import { type Db, prepare } from './prepare.js';
import type { ArtifactsTable, EventsTable, Flag, MessagesTable, TasksTable } from './schema.js';

export type TaskRow = Selectable<TasksTable>;
export type ArtifactRow = Omit<Selectable<ArtifactsTable>, 'body'>;

/** Undefined where there is no such task. */
export async function readTaskRow(db: Db, taskId: string): Promise<TaskRow | undefined> {
  const [row] = await taskRow(db, { taskId });
  return row;
}

/** Unknown, foreign and hidden look the same. */
export function isVisible(row: TaskRow | undefined, scope: Scope): row is TaskRow {
  return (
    row?.visible === 1 &&
    row.tenant === scope.tenant &&
    row.owner === scope.owner &&
    row.agent === scope.agent
  );
}

const taskRow = prepare((db, value: { taskId: string }) =>
  db.selectFrom('tasks').selectAll().where('task_id', '=', value.taskId),
);

export const insertTask = prepare((db, row: TaskRow) =>
  db.insertInto('tasks').values({
    task_id: row.task_id,
    tenant: row.tenant,
    owner: row.owner,
    agent: row.agent,
    context_id: row.context_id,
    state: row.state,
    status_time: row.status_time,
    status_message: row.status_message,
    metadata: row.metadata,
    direct: row.direct,
    visible: row.visible,
    last_seq: row.last_seq,
    floor_seq: row.floor_seq,
    history_size: row.history_size,
    last_key: row.last_key,
    version: row.version,
    cancel_requested: row.cancel_requested,
    accepted_at: row.accepted_at,
    ended_at: row.ended_at,
    swept: row.swept,
  }),
);

/** All that can change after acceptance, but for retention. */
export const updateTask = prepare((db, row: TaskRow) =>
  db
    .updateTable('tasks')
    .set({
      state: row.state,
      status_time: row.status_time,
      status_message: row.status_message,
      metadata: row.metadata,
      direct: row.direct,
      visible: row.visible,
      last_seq: row.last_seq,
      history_size: row.history_size,
      last_key: row.last_key,
      version: row.version,
      cancel_requested: row.cancel_requested,
      ended_at: row.ended_at,
    })
    .where('task_id', '=', row.task_id),
);

/** Where nothing but fragments came: no index is touched. */
export const advanceTask = prepare((db, row: Pick<TaskRow, 'task_id' | 'last_seq' | 'version'>) =>
  db
    .updateTable('tasks')
    .set({ last_seq: row.last_seq, version: row.version })
    .where('task_id', '=', row.task_id),
);

export const insertEvent = prepare((db, row: Omit<Selectable<EventsTable>, 'id'>) =>
  db.insertInto('events').values({
    task_id: row.task_id,
    seq: row.seq,
    key: row.key,
    artifact_id: row.artifact_id,
    body: row.body,
  }),
);

export const insertMessage = prepare((db, row: Selectable<MessagesTable>) =>
  db.insertInto('messages').values({
    task_id: row.task_id,
    position: row.position,
    key: row.key,
    seq: row.seq,
    at: row.at,
    body: row.body,
  }),
);

export const artifactRows = prepare((db, value: { taskId: string }) =>
  db
    .selectFrom('artifacts')
    .select(['task_id', 'artifact_id', 'position', 'open', 'start_seq', 'stream', 'fragmented', 'closed_at'])
    .where('task_id', '=', value.taskId)
    .orderBy('position'),
);

export const artifactRow = prepare((db, value: { taskId: string; artifactId: string }) =>
  db
    .selectFrom('artifacts')
    .selectAll()
    .where('task_id', '=', value.taskId)
    .where('artifact_id', '=', value.artifactId),
);

export const saveArtifact = prepare((db, row: ArtifactRow & { body: string | null }) =>
  db
    .insertInto('artifacts')
    .values({
      task_id: row.task_id,
      artifact_id: row.artifact_id,
      position: row.position,
      open: row.open,
      body: row.body,
      start_seq: row.start_seq,
      stream: row.stream,
      fragmented: row.fragmented,
      closed_at: row.closed_at,
    })
    .onConflict((conflict) =>
      conflict.columns(['task_id', 'artifact_id']).doUpdateSet((eb) => ({
        open: eb.ref('excluded.open'),
        body: eb.ref('excluded.body'),
        start_seq: eb.ref('excluded.start_seq'),
        stream: eb.ref('excluded.stream'),
        fragmented: eb.ref('excluded.fragmented'),
        closed_at: eb.ref('excluded.closed_at'),
      })),
    ),
);

/** The fragments of one artifact from a sequence on. */
export const fragmentsFrom = prepare((db, value: { taskId: string; artifactId: string; seq: number }) =>
  db
    .selectFrom('events')
    .select('body')
    .where('task_id', '=', value.taskId)
    .where('seq', '>=', value.seq)
    .where('artifact_id', '=', value.artifactId)
    .orderBy('seq'),
);

export function flag(value: boolean): Flag {
  return value ? 1 : 0;
}

import type { StoredEvent } from '../core/journal.js';
import type { StreamResponse } from '../core/task.js';
import { parseWhole } from './blobs.js';
import { type Db, prepare } from './prepare.js';
import { deepFreeze } from './freeze.js';

/** `JournalReads.readEvents`. Events are frozen: all readers of a task share them. */
export async function readEvents(
  db: Db,
  taskId: string,
  after: number,
  limit: number,
): Promise<StoredEvent[]> {
  const rows = await eventsAfter(db, { taskId, after, limit });
  const events = await parseWhole<StreamResponse>(
    db,
    taskId,
    rows.map(({ body }) => body),
  );
  return events.map((event, i) => deepFreeze({ taskId, seq: rows[i]!.seq, event }));
}

const eventsAfter = prepare((db, value: { taskId: string; after: number; limit: number }) =>
  db
    .selectFrom('events')
    .select(['seq', 'body'])
    .where('task_id', '=', value.taskId)
    .where('seq', '>', value.after)
    .orderBy('seq')
    .limit(value.limit),
);

import { fold } from '../core/fold.js';
import type { Message, Metadata, Task } from '../core/task.js';
import { parseWhole } from './blobs.js';
import { readEvents } from './events.js';
import { type Db, prepare } from './prepare.js';
import { readTaskRow } from './rows.js';

/** `JournalReads.readTaskAt` for an earlier moment, on a snapshot: the fold of the log up to there. */
export async function readTaskAt(db: Db, taskId: string, seq: number): Promise<Task | undefined> {
  const row = await readTaskRow(db, taskId);
  if (row === undefined || row.floor_seq > 0) return undefined;
  let task: Task | undefined;
  for (const { event, seq: at } of await readEvents(db, taskId, 0, seq)) {
    if (at > seq) break;
    if ('task' in event) task = event.task;
    else if (task !== undefined) task = fold(task, event);
  }
  if (task === undefined) return undefined;
  const said = await messagesUntil(db, { taskId, seq });
  const history = await parseWhole<Message>(
    db,
    taskId,
    said.map(({ body }) => body),
  );
  const metadata = row.metadata === null ? undefined : (JSON.parse(row.metadata) as Metadata);
  return { ...task, history, ...(metadata && { metadata }) };
}

const messagesUntil = prepare((db, value: { taskId: string; seq: number }) =>
  db
    .selectFrom('messages')
    .select('body')
    .where('task_id', '=', value.taskId)
    .where('seq', '<=', value.seq)
    .orderBy('position'),
);

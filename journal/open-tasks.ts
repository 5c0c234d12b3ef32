import type { TaskState } from '../core/task.js';
import type { Db } from './prepare.js';

/** `JournalReads.openTasks`. A task whose start is still in the outbox has not been started. */
export async function openTasks(
  db: Db,
  before: Date,
  limit: number,
  after = '',
): Promise<{ taskId: string; state: TaskState; started: boolean }[]> {
  const rows = await db
    .selectFrom('tasks')
    .select((eb) => [
      'task_id',
      'state',
      eb
        .selectFrom('commands')
        .select('commands.id')
        .whereRef('commands.task_id', '=', 'tasks.task_id')
        .where('commands.kind', '=', 'start')
        .limit(1)
        .as('start'),
    ])
    .where('ended_at', 'is', null)
    .where('status_time', '<', before.toISOString())
    .where('task_id', '>', after)
    .orderBy('task_id')
    .limit(limit)
    .execute();
  return rows.map(({ task_id: taskId, state, start }) => ({ taskId, state, started: start === null }));
}

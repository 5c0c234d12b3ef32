import { type Kysely, sql } from 'kysely';
import type { Columns } from './columns.js';

/** Tasks and what belongs to them. */
export async function up(db: Kysely<unknown>, columns: Columns): Promise<void> {
  await db.schema
    .createTable('tasks')
    .addColumn('task_id', 'text', (c) => c.primaryKey())
    .addColumn('tenant', 'text', (c) => c.notNull())
    .addColumn('owner', 'text', (c) => c.notNull())
    .addColumn('agent', 'text', (c) => c.notNull())
    .addColumn('context_id', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('status_time', 'text', (c) => c.notNull())
    .addColumn('status_message', 'text')
    .addColumn('metadata', 'text')
    .addColumn('direct', 'text')
    .addColumn('visible', 'integer', (c) => c.notNull())
    .addColumn('last_seq', 'integer', (c) => c.notNull())
    .addColumn('floor_seq', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('history_size', 'integer', (c) => c.notNull())
    .addColumn('last_key', 'text', (c) => c.notNull())
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('cancel_requested', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('accepted_at', columns.millis, (c) => c.notNull())
    .addColumn('ended_at', columns.millis)
    .addColumn('swept', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  // ListTasks: one index per way to page, each in the order of the pages.
  await db.schema
    .createIndex('tasks_by_scope')
    .on('tasks')
    .columns(['tenant', 'owner', 'agent', 'status_time', 'task_id'])
    .where(sql.ref('visible'), '=', sql.lit(1))
    .execute();
  await db.schema
    .createIndex('tasks_by_state')
    .on('tasks')
    .columns(['tenant', 'owner', 'agent', 'state', 'status_time', 'task_id'])
    .where(sql.ref('visible'), '=', sql.lit(1))
    .execute();
  await db.schema
    .createIndex('tasks_by_context')
    .on('tasks')
    .columns(['tenant', 'owner', 'context_id', 'agent', 'status_time', 'task_id'])
    .execute();
  await db.schema
    .createIndex('tasks_by_context_and_state')
    .on('tasks')
    .columns(['tenant', 'owner', 'context_id', 'agent', 'state', 'status_time', 'task_id'])
    .where(sql.ref('visible'), '=', sql.lit(1))
    .execute();
  await db.schema
    .createIndex('tasks_open')
    .on('tasks')
    .columns(['task_id', 'status_time'])
    .where(sql.ref('ended_at'), 'is', null)
    .execute();
  await db.schema
    .createIndex('tasks_ended')
    .on('tasks')
    .columns(['swept', 'ended_at'])
    .where(sql.ref('ended_at'), 'is not', null)
    .execute();

  await db.schema
    .createTable('events')
    .addColumn('id', 'integer', columns.serial)
    .addColumn('task_id', 'text', (c) => c.notNull())
    .addColumn('seq', 'integer', (c) => c.notNull())
    .addColumn('key', 'text', (c) => c.notNull())
    .addColumn('artifact_id', 'text')
    .addColumn('body', 'text', (c) => c.notNull())
    .addUniqueConstraint('events_seq', ['task_id', 'seq'])
    .addUniqueConstraint('events_key', ['task_id', 'key'])
    .execute();

  await db.schema
    .createTable('messages')
    .addColumn('task_id', 'text', (c) => c.notNull())
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('key', 'text')
    .addColumn('seq', 'integer', (c) => c.notNull())
    .addColumn('at', columns.millis, (c) => c.notNull())
    .addColumn('body', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('messages_pk', ['task_id', 'position'])
    .execute();

  await db.schema
    .createTable('artifacts')
    .addColumn('task_id', 'text', (c) => c.notNull())
    .addColumn('artifact_id', 'text', (c) => c.notNull())
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('open', 'integer', (c) => c.notNull())
    .addColumn('body', 'text')
    .addColumn('start_seq', 'integer', (c) => c.notNull())
    .addColumn('stream', 'text')
    .addColumn('fragmented', 'integer', (c) => c.notNull())
    .addColumn('closed_at', columns.millis)
    .addPrimaryKeyConstraint('artifacts_pk', ['task_id', 'artifact_id'])
    .execute();
  await db.schema
    .createIndex('artifacts_to_compact')
    .on('artifacts')
    .column('closed_at')
    .where(sql.ref('fragmented'), '=', sql.lit(1))
    .execute();

  await db.schema
    .createTable('blobs')
    .addColumn('task_id', 'text', (c) => c.notNull())
    .addColumn('blob_id', 'text', (c) => c.notNull())
    .addColumn('body', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('blobs_pk', ['task_id', 'blob_id'])
    .execute();
  await db.schema.createIndex('blobs_by_id').on('blobs').column('blob_id').execute();

  await db.schema
    .createTable('transcripts')
    .addColumn('task_id', 'text', (c) => c.notNull())
    .addColumn('conversation', 'text', (c) => c.notNull())
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('body', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('transcripts_pk', ['task_id', 'conversation', 'position'])
    .execute();
}

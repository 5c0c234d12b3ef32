import { type Kysely, sql } from 'kysely';
import type { Columns } from './columns.js';

/** Webhooks: each config with its place in the log, its outbox entry and its lease in one row. */
export async function up(db: Kysely<unknown>, columns: Columns): Promise<void> {
  await db.schema
    .createTable('pushes')
    .addColumn('push_id', 'text', (c) => c.primaryKey())
    .addColumn('task_id', 'text', (c) => c.notNull())
    .addColumn('config_id', 'text', (c) => c.notNull())
    .addColumn('dialect', 'text', (c) => c.notNull())
    .addColumn('url', 'text', (c) => c.notNull())
    .addColumn('token', 'text')
    .addColumn('scheme', 'text')
    .addColumn('credentials', 'text')
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('delivered_seq', 'integer', (c) => c.notNull())
    .addColumn('due_seq', 'integer', (c) => c.notNull())
    .addColumn('due', 'integer', (c) => c.notNull())
    .addColumn('holder', 'text')
    .addColumn('held_until', columns.millis, (c) => c.notNull())
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('failing_since', columns.millis)
    .addColumn('last_error', 'text')
    .addColumn('last_attempt_at', columns.millis)
    .addColumn('next_attempt_at', columns.millis)
    .addUniqueConstraint('pushes_by_task', ['task_id', 'config_id'])
    .execute();
  await db.schema
    .createIndex('pushes_due')
    .on('pushes')
    .column('held_until')
    .where(sql.ref('due'), '=', sql.lit(1))
    .execute();
  await db.schema
    .createIndex('pushes_retrying')
    .on('pushes')
    .column('next_attempt_at')
    .where(sql.ref('state'), '=', sql.lit('retrying'))
    .execute();
}

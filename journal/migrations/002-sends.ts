import { type Kysely, sql } from 'kysely';
import type { Columns } from './columns.js';

/** Acceptance: contexts and their turn, sends, and the outbox. */
export async function up(db: Kysely<unknown>, columns: Columns): Promise<void> {
  await db.schema
    .createTable('contexts')
    .addColumn('tenant', 'text', (c) => c.notNull())
    .addColumn('owner', 'text', (c) => c.notNull())
    .addColumn('context_id', 'text', (c) => c.notNull())
    .addColumn('holder', 'text')
    .addColumn('used_at', columns.millis, (c) => c.notNull())
    .addPrimaryKeyConstraint('contexts_pk', ['tenant', 'owner', 'context_id'])
    .execute();

  await db.schema
    .createTable('turns')
    .addColumn('id', 'integer', columns.serial)
    .addColumn('tenant', 'text', (c) => c.notNull())
    .addColumn('owner', 'text', (c) => c.notNull())
    .addColumn('context_id', 'text', (c) => c.notNull())
    .addColumn('task_id', 'text', (c) => c.notNull().unique())
    .execute();
  await db.schema
    .createIndex('turns_by_context')
    .on('turns')
    .columns(['tenant', 'owner', 'context_id', 'id'])
    .execute();

  await db.schema
    .createTable('sends')
    .addColumn('id', 'integer', columns.serial)
    .addColumn('tenant', 'text', (c) => c.notNull())
    .addColumn('owner', 'text', (c) => c.notNull())
    .addColumn('agent', 'text', (c) => c.notNull())
    .addColumn('task_id', 'text', (c) => c.notNull())
    .addColumn('message_id', 'text', (c) => c.notNull())
    .addColumn('content', 'text', (c) => c.notNull())
    .addColumn('idempotency_key', 'text')
    .addColumn('follow_up', 'integer', (c) => c.notNull())
    .addColumn('seq', 'integer', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('sends_by_task').on('sends').columns(['task_id', 'message_id']).execute();
  await db.schema
    .createIndex('sends_by_message')
    .on('sends')
    .columns(['tenant', 'owner', 'message_id', 'content', 'id'])
    .execute();
  await db.schema
    .createIndex('sends_by_key')
    .unique()
    .on('sends')
    .columns(['tenant', 'owner', 'idempotency_key'])
    .where(sql.ref('idempotency_key'), 'is not', null)
    .execute();

  await db.schema
    .createTable('commands')
    .addColumn('id', 'integer', columns.serial)
    .addColumn('task_id', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('body', 'text')
    .addColumn('created_at', columns.millis, (c) => c.notNull())
    .execute();
  await db.schema.createIndex('commands_by_task').on('commands').columns(['task_id', 'kind']).execute();
}

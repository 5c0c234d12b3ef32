import type { Kysely } from 'kysely';

/** Task ids that callers chose, where their dialect lets them (D03). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('aliases')
    .addColumn('tenant', 'text', (c) => c.notNull())
    .addColumn('owner', 'text', (c) => c.notNull())
    .addColumn('agent', 'text', (c) => c.notNull())
    .addColumn('alias', 'text', (c) => c.notNull())
    .addColumn('task_id', 'text', (c) => c.notNull().unique())
    .addPrimaryKeyConstraint('aliases_pk', ['tenant', 'owner', 'agent', 'alias'])
    .execute();
}

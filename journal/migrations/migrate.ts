import { type Kysely, type Migration, Migrator } from 'kysely';
import type { Columns } from './columns.js';
import * as tasks from './001-tasks.js';
import * as sends from './002-sends.js';
import * as counters from './003-counters.js';
import * as aliases from './004-aliases.js';
import * as push from './005-push.js';

/** In order. A migration that was released is never edited: what changes comes as the next one. */
const MIGRATIONS: Record<string, { up(db: Kysely<unknown>, columns: Columns): Promise<void> }> = {
  '001-tasks': tasks,
  '002-sends': sends,
  '003-counters': counters,
  '004-aliases': aliases,
  '005-push': push,
};

/** Brings the database to the newest schema. The dialect's adapter keeps a second process out meanwhile. */
export async function migrate(db: Kysely<unknown>, columns: Columns): Promise<void> {
  const migrations = Object.fromEntries(
    Object.entries(MIGRATIONS).map(([name, { up }]): [string, Migration] => [
      name,
      { up: (tx) => up(tx, columns) },
    ]),
  );
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(migrations) } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined)
    throw new Error('the journal cannot be brought to its newest schema', { cause: error });
}

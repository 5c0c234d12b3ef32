import { SqlJournal } from '../journal.js';
import { JOURNAL_DEFAULTS, type JournalOptions } from '../options.js';
import { SqliteStore } from './store.js';

/**
 * Opens the journal in an SQLite file, which is made or upgraded as needed. Several processes may have
 * the same file open; it must lie on a local disk. There is no journal in memory: its connections would
 * not see each other.
 */
export async function openSqliteJournal(
  settings: { file: string } & Partial<JournalOptions>,
): Promise<SqlJournal> {
  const { file, ...options } = settings;
  const store = await SqliteStore.open(file);
  return new SqlJournal(store, { ...JOURNAL_DEFAULTS, ...options });
}

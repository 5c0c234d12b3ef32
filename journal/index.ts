export { Hub, type EventBatch } from './hub.js';
export type { JournalStats, SqlJournal } from './journal.js';
export { BLOB_THRESHOLD, type JournalOptions } from './options.js';
export { openSqliteJournal } from './sqlite/open.js';

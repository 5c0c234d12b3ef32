import Database from 'better-sqlite3';

/** How long a statement waits for another process that recovers or checkpoints the file. */
const BUSY_MILLIS = 5_000;

/** Opens a connection to the file, and makes the file if there is none. */
export function connect(file: string): Database.Database {
  const db = open(file);
  try {
    retryBusy(() => db.pragma('journal_mode = WAL'));
    db.pragma('synchronous = NORMAL');
    db.pragma('temp_store = MEMORY');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function open(file: string): Database.Database {
  try {
    return new Database(file, { timeout: BUSY_MILLIS });
  } catch (cause) {
    if (!isMissingBinary(cause)) throw cause;
    throw new Error(
      `better-sqlite3 was not built for this Node.js (${process.version}): npm rebuild better-sqlite3`,
      { cause },
    );
  }
}

/** After a change of Node.js, or an install without scripts. */
function isMissingBinary(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    ('code' in error && error.code === 'ERR_DLOPEN_FAILED') || /locate the bindings file/.test(error.message)
  );
}

/** For reads: it cannot write, and so never holds a lock. */
export function connectReader(file: string): Database.Database {
  const db = connect(file);
  db.pragma('query_only = ON');
  return db;
}

export function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
}

/** Turning the write-ahead log on needs the file alone, and SQLite does not wait for that by itself. */
function retryBusy(work: () => void): void {
  const deadline = Date.now() + BUSY_MILLIS;
  for (;;) {
    try {
      work();
      return;
    } catch (error) {
      if (!isBusy(error) || Date.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}

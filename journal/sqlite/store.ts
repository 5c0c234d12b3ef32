import type Database from 'better-sqlite3';
import { Kysely } from 'kysely';
import { migrate } from '../migrations/migrate.js';
import type { Db } from '../prepare.js';
import type { Tables } from '../schema.js';
import type { Durability, Store, StoreStats, Transaction } from '../store.js';
import { connect, connectReader } from './connections.js';
import { sqliteColumns, sqliteDialect } from './dialect.js';
import { Wake } from './wake.js';
import { Writer } from './writer.js';

/** Connections for reads. One is enough but while a snapshot is put together. */
const READERS = 4;

/** The journal's database in one SQLite file, which several processes may share. */
export class SqliteStore implements Store {
  readonly reader: Db;
  readonly #writerDb: Db;
  readonly #writer: Writer;
  readonly #wake: Wake;
  readonly #wakeReader: Database.Database;

  /** Opens the file, and makes or upgrades it where that is due. */
  static async open(file: string): Promise<SqliteStore> {
    const migrating = new Kysely<unknown>({
      dialect: sqliteDialect(() => connect(file), 1, 'begin immediate'),
    });
    try {
      await migrate(migrating, sqliteColumns);
    } finally {
      await migrating.destroy();
    }
    return new SqliteStore(file);
  }

  private constructor(file: string) {
    const writer = connect(file);
    this.#writerDb = new Kysely<Tables>({ dialect: sqliteDialect(() => writer, 1, 'begin immediate') });
    this.reader = new Kysely<Tables>({ dialect: sqliteDialect(() => connectReader(file), READERS, 'begin') });
    this.#wakeReader = connectReader(file);
    this.#wake = new Wake(writer, this.#wakeReader);
    this.#writer = new Writer(writer, this.#writerDb, this.#wake);
  }

  get stats(): StoreStats {
    const { commits, operations } = this.#writer;
    return { commits, operations, watchers: this.#wake.watchers };
  }

  snapshot<T>(work: (db: Db) => Promise<T>): Promise<T> {
    return this.reader.transaction().execute(work);
  }

  write<T>(durability: Durability, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#writer.write(durability, work);
  }

  watch(taskId: string, listener: () => void): () => void {
    return this.#wake.watch(taskId, listener);
  }

  async close(): Promise<void> {
    this.#wake.stop();
    await this.#writer.close();
    await this.reader.destroy();
    this.#wakeReader.close();
    await this.#writerDb.destroy();
  }
}

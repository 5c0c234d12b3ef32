import type Database from 'better-sqlite3';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type DialectAdapter,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Columns } from '../migrations/columns.js';

type Connection = Database.Database;

export const sqliteColumns: Columns = {
  millis: 'integer',
  serial: (column) => column.primaryKey().autoIncrement(),
};

/**
 * Kysely over a few better-sqlite3 connections to one file. Unlike Kysely's own dialect it keeps prepared
 * statements, and hands out a connection to one user at a time, so that a read transaction sees one moment.
 */
export function sqliteDialect(
  open: () => Connection,
  size: number,
  begin: 'begin' | 'begin immediate',
): Dialect {
  return {
    createDriver: () => new PoolDriver(open, size, begin),
    createAdapter: () => new LockingAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

/** Migrations run in a `begin immediate` transaction, which is the lock between processes. */
class LockingAdapter extends SqliteAdapter implements DialectAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class PoolDriver implements Driver {
  readonly #open: () => Connection;
  readonly #size: number;
  readonly #begin: string;
  readonly #all: SqliteConnection[] = [];
  readonly #free: DatabaseConnection[] = [];
  readonly #waiting: ((connection: DatabaseConnection) => void)[] = [];

  constructor(open: () => Connection, size: number, begin: string) {
    this.#open = open;
    this.#size = size;
    this.#begin = begin;
  }

  async init(): Promise<void> {}

  acquireConnection(): Promise<DatabaseConnection> {
    const free = this.#free.pop();
    if (free !== undefined) return Promise.resolve(free);
    if (this.#all.length < this.#size) {
      const connection = new SqliteConnection(this.#open());
      this.#all.push(connection);
      return Promise.resolve(connection);
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  releaseConnection(connection: DatabaseConnection): Promise<void> {
    const next = this.#waiting.shift();
    if (next !== undefined) next(connection);
    else this.#free.push(connection);
    return Promise.resolve();
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(this.#begin));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'));
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('rollback'));
  }

  destroy(): Promise<void> {
    for (const connection of this.#all) connection.close();
    return Promise.resolve();
  }
}

/** Texts of statements to keep prepared. The journal has about a hundred. */
const STATEMENTS = 300;

class SqliteConnection implements DatabaseConnection {
  readonly #db: Connection;
  readonly #statements = new Map<string, Database.Statement>();

  constructor(db: Connection) {
    this.#db = db;
  }

  executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    // Whatever SQLite throws comes as a rejection.
    return new Promise((resolve) => resolve(this.#run<R>(sql, parameters)));
  }

  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('this driver does not stream');
  }

  close(): void {
    this.#statements.clear();
    this.#db.close();
  }

  #run<R>(sql: string, parameters: readonly unknown[]): QueryResult<R> {
    const statement = this.#prepare(sql);
    if (statement.reader) return { rows: statement.all(parameters) as R[] };
    const { changes } = statement.run(parameters);
    return { rows: [], numAffectedRows: BigInt(changes) };
  }

  #prepare(sql: string): Database.Statement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(sql);
      if (this.#statements.size >= STATEMENTS) this.#statements.clear();
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

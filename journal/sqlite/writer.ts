import type Database from 'better-sqlite3';
import { setImmediate as turnOfTheLoop, setTimeout as pause } from 'node:timers/promises';
import type { Db } from '../prepare.js';
import type { Durability, Transaction } from '../store.js';
import { isBusy } from './connections.js';

interface Operation {
  durability: Durability;
  work(tx: Transaction): Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

export interface WriterHooks {
  /** Inside a transaction of ours, before its first change: no other process can commit until it ends. */
  begun(): void;
  /** Inside it, after its last change. */
  ending(): void;
  /** After the commit: the tasks that got events. Must not throw. */
  committed(taskIds: ReadonlySet<string>): void;
}

/** A transaction ends after this many milliseconds even if more is waiting, so that the process breathes. */
const MAX_MILLIS = 10;
/** How long to try for the lock that another process holds. */
const LOCK_MILLIS = 15_000;

/**
 * The one writer of this process. Operations that wait while a transaction runs are joined into the next
 * one (group commit), so that one flush serves them all; a savepoint keeps each apart from the others.
 */
export class Writer {
  commits = 0;
  operations = 0;
  readonly #raw: Database.Database;
  readonly #db: Db;
  readonly #hooks: WriterHooks;
  readonly #sql: Record<'begin' | 'commit' | 'rollback' | 'save' | 'keep' | 'undo', Database.Statement>;
  #queue: Operation[] = [];
  #synchronous: Durability | undefined;
  #running: Promise<void> | undefined;
  #closed = false;

  /** `db` must run on the connection `raw`. */
  constructor(raw: Database.Database, db: Db, hooks: WriterHooks) {
    this.#raw = raw;
    this.#db = db;
    this.#hooks = hooks;
    // This process waits for the lock without blocking (see #begin).
    raw.pragma('busy_timeout = 0');
    this.#sql = {
      begin: raw.prepare('begin immediate'),
      commit: raw.prepare('commit'),
      rollback: raw.prepare('rollback'),
      save: raw.prepare('savepoint operation'),
      keep: raw.prepare('release operation'),
      undo: raw.prepare('rollback to operation'),
    };
  }

  write<T>(durability: Durability, work: (tx: Transaction) => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new Error('the journal is closed'));
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ durability, work, resolve: (value) => resolve(value as T), reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when all that was asked for is written. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      // What other requests of this turn of the event loop write goes into the same transaction.
      await turnOfTheLoop();
      await this.#transaction();
    }
    // Not in a later microtask: what is written until then would wait for ever.
    this.#running = undefined;
  }

  async #transaction(): Promise<void> {
    const done: (() => void)[] = [];
    const batch: Operation[] = [];
    const added = new Set<string>();
    try {
      this.#flushOrNot(this.#queue.some((operation) => operation.durability === 'flushed'));
      await this.#begin();
      this.#hooks.begun();
      const until = performance.now() + MAX_MILLIS;
      for (let operation = this.#next(); operation !== undefined; operation = this.#next(until)) {
        batch.push(operation);
        done.push(await this.#operate(operation, added));
      }
      this.#hooks.ending();
      this.#sql.commit.run();
    } catch (error) {
      this.#undo();
      if (batch.length === 0) batch.push(...this.#queue.splice(0));
      for (const operation of batch) operation.reject(error);
      return;
    }
    this.commits += 1;
    this.operations += batch.length;
    for (const tell of done) tell();
    this.#hooks.committed(added);
  }

  /** A lazy transaction takes lazy operations only: a flushed one that came later waits for the next. */
  #next(until = Infinity): Operation | undefined {
    const [first] = this.#queue;
    if (first === undefined || performance.now() > until) return undefined;
    if (first.durability === 'flushed' && this.#synchronous === 'lazy') return undefined;
    return this.#queue.shift();
  }

  /** Runs it in a savepoint; gives what tells its caller the outcome once the transaction is committed. */
  async #operate(operation: Operation, added: Set<string>): Promise<() => void> {
    const mine: string[] = [];
    this.#sql.save.run();
    try {
      const value = await operation.work({ db: this.#db, added: (taskId) => mine.push(taskId) });
      this.#sql.keep.run();
      for (const taskId of mine) added.add(taskId);
      return () => operation.resolve(value);
    } catch (error) {
      // On some faults, a full disk for one, SQLite has rolled the whole transaction back itself.
      if (!this.#raw.inTransaction) throw error;
      this.#sql.undo.run();
      this.#sql.keep.run();
      return () => operation.reject(error);
    }
  }

  #undo(): void {
    try {
      if (this.#raw.inTransaction) this.#sql.rollback.run();
    } catch {
      // The first fault is what the callers are told; the next transaction shows whether the file is usable.
    }
  }

  async #begin(): Promise<void> {
    const deadline = performance.now() + LOCK_MILLIS;
    for (;;) {
      try {
        this.#sql.begin.run();
        return;
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw error;
        await pause(1);
      }
    }
  }

  /** SQLite takes the setting between transactions only. */
  #flushOrNot(flush: boolean): void {
    const wanted: Durability = flush ? 'flushed' : 'lazy';
    if (wanted === this.#synchronous) return;
    this.#raw.pragma(`synchronous = ${flush ? 'FULL' : 'NORMAL'}`);
    this.#synchronous = wanted;
  }
}

import type { Db } from './prepare.js';

/** A transaction of the store, as one operation of the journal sees it. */
export interface Transaction {
  readonly db: Db;
  /** Says that this operation added events to the task, so that its watchers wake once it is committed. */
  added(taskId: string): void;
}

/**
 * `flushed`: on the disk when it returns. `lazy`: safe from a killed process at once, from a power
 * loss with the next flushed one.
 */
export type Durability = 'flushed' | 'lazy';

/**
 * The seam between the journal and its database: everything that SQLite and PostgreSQL do differently
 * is behind it, but for column types (`migrations/columns.ts`).
 */
export interface Store {
  /** For single statements that read. */
  readonly reader: Db;
  /** Several reads of one moment. */
  snapshot<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /**
   * One operation, alone on what it touches, whole or not at all. It must wait for nothing but its own
   * queries.
   */
  write<T>(durability: Durability, work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** See `JournalReads.watch`. */
  watch(taskId: string, listener: () => void): () => void;
  readonly stats: StoreStats;
  close(): Promise<void>;
}

export interface StoreStats {
  /** Transactions committed. */
  commits: number;
  /** Operations in them. */
  operations: number;
  /** Listeners registered by `watch` now. */
  watchers: number;
}

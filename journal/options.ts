const MINUTE = 60_000;
const DAY = 86_400_000;

/** Settings of the journal; times in milliseconds. */
export interface JournalOptions {
  /**
   * Fragments of an artifact that has been closed for this long are removed; its closing event keeps the
   * whole text. Default 10 minutes.
   */
  keepFragments: number;
  /** Events of a task that ended this long ago are removed; the task stays readable. Default 7 days. */
  keepEvents: number;
  /** A task that ended this long ago is removed with all that belongs to it. Default: never. */
  keepTasks: number;
  /** A context without an open task that was not used for this long takes no new task (A11). Default: never. */
  contextExpiry: number;
  /** Memory for parsed snapshots of tasks, in bytes of their JSON. Default 64 MiB. */
  snapshotCache: number;
  /** Push notification configs that a task may have. Default 20. */
  maxPushConfigs: number;
  /** The clock, in milliseconds since the epoch. */
  now: () => number;
}

export const JOURNAL_DEFAULTS: JournalOptions = {
  keepFragments: 10 * MINUTE,
  keepEvents: 7 * DAY,
  keepTasks: Infinity,
  contextExpiry: Infinity,
  snapshotCache: 64 * 1024 * 1024,
  maxPushConfigs: 20,
  now: Date.now,
};

/** Content above this many bytes is kept as a blob (design: "big content stays out of Temporal"). */
export const BLOB_THRESHOLD = 64 * 1024;

/** Where the parts of a message take more than this together, the biggest become blobs too. */
export const MESSAGE_THRESHOLD = 256 * 1024;

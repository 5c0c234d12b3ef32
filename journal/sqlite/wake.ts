import type Database from 'better-sqlite3';

/** Poll interval while other processes write, and while they have been quiet for a second. */
const BUSY_MILLIS = 2;
const QUIET_MILLIS = 10;
const QUIET_AFTER_MILLIS = 1_000;

/**
 * Wakes the watchers of tasks that got events. What this process writes is told by the writer. What other
 * processes commit to the same file shows in `data_version` of the writer's connection, which costs
 * microseconds to poll and does not count that connection's own commits.
 */
export class Wake {
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #version: Database.Statement;
  readonly #committed: Database.Statement;
  readonly #ours: Database.Statement;
  readonly #changed: Database.Statement;
  #count = 0;
  #timer: NodeJS.Timeout | undefined;
  #lastVersion = 0;
  #lastEvent = 0;
  #ownEvent = 0;
  #upToDate = false;
  #lastForeign = 0;

  /** `reader` is a connection that sees committed rows only. */
  constructor(writer: Database.Database, reader: Database.Database) {
    this.#version = writer.prepare('pragma data_version').pluck();
    const newest = "select seq from sqlite_sequence where name = 'events'";
    this.#committed = reader.prepare(newest).pluck();
    this.#ours = writer.prepare(newest).pluck();
    this.#changed = reader.prepare('select id, task_id from events where id > ?');
  }

  get watchers(): number {
    return this.#count;
  }

  watch(taskId: string, listener: () => void): () => void {
    const one = (): void => listener();
    let listeners = this.#listeners.get(taskId);
    if (listeners === undefined) this.#listeners.set(taskId, (listeners = new Set()));
    listeners.add(one);
    if (this.#count++ === 0) this.#start();
    return () => {
      const current = this.#listeners.get(taskId);
      if (current?.delete(one) !== true) return;
      if (current.size === 0) this.#listeners.delete(taskId);
      if (--this.#count === 0) this.#stop();
    };
  }

  /** In a transaction of ours, before its first change: no other process can commit until it ends. */
  begun(): void {
    this.#ownEvent = 0;
    this.#upToDate = this.#lookAround();
  }

  /** In it, after its last change. */
  ending(): void {
    if (this.#upToDate && this.#count > 0) this.#ownEvent = eventId(this.#ours.get());
  }

  /** After it: nothing foreign lay between the look around and our events, so the next look begins after them. */
  committed(taskIds: Iterable<string>): void {
    this.#lastEvent = Math.max(this.#lastEvent, this.#ownEvent);
    this.#notify(taskIds);
  }

  stop(): void {
    this.#listeners.clear();
    this.#count = 0;
    this.#stop();
  }

  /** Each listener in a microtask of its own: what one throws stops neither the others nor the writer. */
  #notify(taskIds: Iterable<string>): void {
    for (const taskId of taskIds) {
      const listeners = this.#listeners.get(taskId);
      if (listeners === undefined) continue;
      for (const listener of listeners) {
        queueMicrotask(() => {
          if (listeners.has(listener)) listener();
        });
      }
    }
  }

  /** Wakes for what other processes committed. False where it could not look. */
  #lookAround(): boolean {
    if (this.#count === 0) return false;
    const changed = new Set<string>();
    try {
      const version = this.#version.get() as number;
      if (version === this.#lastVersion) return true;
      for (const { id, task_id } of this.#changed.all(this.#lastEvent) as { id: number; task_id: string }[]) {
        changed.add(task_id);
        this.#lastEvent = Math.max(this.#lastEvent, id);
      }
      this.#lastVersion = version;
      this.#lastForeign = performance.now();
    } catch {
      // Another process repairs the file after a crash, or the disk fails for a moment: the next look will
      // see what was written. A fault that stays is met, and told, by every read and write.
      return false;
    }
    this.#notify(changed);
    return true;
  }

  /** The version first: what is committed between the two reads is then looked at once too often. */
  #start(): void {
    this.#lastVersion = this.#version.get() as number;
    this.#lastEvent = eventId(this.#committed.get());
    this.#poll();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #poll(): void {
    const quiet = performance.now() - this.#lastForeign > QUIET_AFTER_MILLIS;
    const look = (): void => {
      this.#lookAround();
      if (this.#count > 0) this.#poll();
    };
    this.#timer = setTimeout(look, quiet ? QUIET_MILLIS : BUSY_MILLIS).unref();
  }
}

function eventId(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

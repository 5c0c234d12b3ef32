import type { JournalReads, StoredEvent } from '../core/journal.js';
import { mapParts } from './blobs.js';

/** Most events that are read at once. */
const BATCH = 256;

/**
 * How much of the newest is kept for a task's readers: events, and characters of their content. A reader
 * that falls behind it reads for itself.
 */
const WINDOW_EVENTS = 256;
const WINDOW_CHARACTERS = 1024 * 1024;

type Source = Pick<JournalReads, 'readEvents' | 'watch'>;
export type EventBatch = readonly StoredEvent[];

/**
 * Fan-out: all readers of one task in this process share one watch and one read per wake, and get the same
 * event objects, so that an encoder may remember what it made of each. A reader is a cursor: nothing is
 * buffered for one that is slow, it reads what it missed when it asks again.
 */
export class Hub {
  readonly #journal: Source;
  readonly #feeds = new Map<string, Feed>();

  constructor(journal: Source) {
    this.#journal = journal;
  }

  /** What is held now: after the last reader of all has gone, nothing. */
  get counts(): { tasks: number; readers: number } {
    let readers = 0;
    for (const feed of this.#feeds.values()) readers += feed.readers.size;
    return { tasks: this.#feeds.size, readers };
  }

  /**
   * The events after a sequence, as they come, in batches. Ends when the signal is aborted or the loop
   * over it is left; throws what a read throws.
   */
  subscribe(
    taskId: string,
    after: number,
    signal?: AbortSignal,
  ): AsyncIterableIterator<EventBatch, undefined> {
    let feed = this.#feeds.get(taskId);
    if (feed === undefined) {
      feed = new Feed(this.#journal, taskId, after, () => this.#feeds.delete(taskId));
      this.#feeds.set(taskId, feed);
    }
    return new Reader(feed, after, signal);
  }
}

/** One task's newest events, read once for all who are up to date. */
class Feed {
  readonly readers = new Set<Reader>();
  readonly taskId: string;
  readonly journal: Source;
  readonly #ended: () => void;
  readonly #unwatch: () => void;
  /** Events above `#base`, without a gap up to `#head`. */
  #window: StoredEvent[] = [];
  #characters = 0;
  #base: number;
  #head: number;
  /** A wake that no read has answered yet. */
  #stale = true;
  #reading = false;
  #lastBatch: { after: number; head: number; events: EventBatch } | undefined;

  constructor(journal: Source, taskId: string, after: number, ended: () => void) {
    this.journal = journal;
    this.taskId = taskId;
    this.#base = this.#head = after;
    this.#ended = ended;
    this.#unwatch = journal.watch(taskId, () => {
      this.#stale = true;
      this.refresh();
    });
  }

  /** The window has what comes after this. */
  get base(): number {
    return this.#base;
  }

  /** Events after the cursor; undefined where the reader is up to date, `behind` where the window began later. */
  after(cursor: number): EventBatch | 'behind' | undefined {
    if (cursor < this.#base) return 'behind';
    if (cursor >= this.#head) return undefined;
    const last = this.#lastBatch;
    if (last?.after === cursor && last.head === this.#head) return last.events;
    const events = this.#window.filter(({ seq }) => seq > cursor);
    this.#lastBatch = { after: cursor, head: this.#head, events };
    return events;
  }

  /** Reads on if there is something new and somebody who waits for it. */
  refresh(): void {
    if (!this.#stale || this.#reading || !this.#isAwaited()) return;
    this.#reading = true;
    void this.#read();
  }

  leave(reader: Reader): void {
    if (!this.readers.delete(reader) || this.readers.size > 0) return;
    this.#unwatch();
    this.#ended();
  }

  async #read(): Promise<void> {
    try {
      while (this.#stale && this.#isAwaited()) {
        this.#stale = false;
        const events = await this.journal.readEvents(this.taskId, this.#head, BATCH);
        if (events.length === 0) continue;
        // There may be more at once.
        this.#stale = true;
        this.#keep(events);
        for (const reader of this.readers) reader.wake();
        // Let the readers take it before the window moves on.
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
    } catch (error) {
      this.#stale = true;
      for (const reader of [...this.readers]) reader.fail(error);
    } finally {
      this.#reading = false;
    }
  }

  #isAwaited(): boolean {
    for (const reader of this.readers) if (reader.waiting) return true;
    return false;
  }

  #keep(events: StoredEvent[]): void {
    this.#window.push(...events);
    for (const event of events) this.#characters += charactersOf(event);
    this.#head = events.at(-1)!.seq;
    // All that this read gave stays until the next one, so that no reader who is up to date misses it.
    const most = Math.max(0, this.#window.length - events.length);
    let surplus = 0;
    while (surplus < most && this.#isTooMuch(this.#window.length - surplus)) {
      this.#characters -= charactersOf(this.#window[surplus]!);
      surplus += 1;
    }
    if (surplus === 0) return;
    this.#base = this.#window[surplus - 1]!.seq;
    this.#window.splice(0, surplus);
  }

  #isTooMuch(events: number): boolean {
    return events > WINDOW_EVENTS || this.#characters > WINDOW_CHARACTERS;
  }
}

function charactersOf({ event }: StoredEvent): number {
  let characters = 0;
  mapParts(event, (part) => {
    if ('text' in part) characters += part.text.length;
    else if ('raw' in part) characters += part.raw.length;
    else if ('data' in part) characters += JSON.stringify(part.data).length;
    return part;
  });
  return characters;
}

type Step = IteratorResult<EventBatch, undefined>;
const DONE: Step = { done: true, value: undefined };

class Reader implements AsyncIterableIterator<EventBatch, undefined> {
  readonly #feed: Feed;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = (): void => this.#end(DONE);
  #cursor: number;
  #pending: { resolve(step: Step): void; reject(error: unknown): void } | undefined;
  #ended = false;

  constructor(feed: Feed, after: number, signal: AbortSignal | undefined) {
    this.#feed = feed;
    this.#cursor = after;
    this.#signal = signal;
    feed.readers.add(this);
    if (signal?.aborted === true) this.#end(DONE);
    else signal?.addEventListener('abort', this.#onAbort);
  }

  /** Up to date, and somebody waits for what comes next. */
  get waiting(): boolean {
    return this.#pending !== undefined;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<Step> {
    if (this.#ended) return DONE;
    const events = this.#feed.after(this.#cursor);
    if (events === 'behind') return this.#catchUp();
    if (events !== undefined) return this.#take(events);
    return new Promise<Step>((resolve, reject) => {
      this.#pending = { resolve, reject };
      this.#feed.refresh();
    });
  }

  return(): Promise<Step> {
    this.#end(DONE);
    return Promise.resolve(DONE);
  }

  /** The feed has more. */
  wake(): void {
    const pending = this.#pending;
    if (pending === undefined) return;
    const events = this.#feed.after(this.#cursor);
    if (events === undefined || events === 'behind') return;
    this.#pending = undefined;
    pending.resolve(this.#take(events));
  }

  fail(error: unknown): void {
    const pending = this.#pending;
    if (pending === undefined) return;
    this.#pending = undefined;
    this.#end(DONE);
    pending.reject(error);
  }

  async #catchUp(): Promise<Step> {
    // As it is before the read: what the window loses meanwhile is in the journal still.
    const { base } = this.#feed;
    const events = await this.#feed.journal.readEvents(this.#feed.taskId, this.#cursor, BATCH);
    if (this.#ended) return DONE;
    if (events.length > 0) return this.#take(events);
    // Retention has removed what lay before the window.
    this.#cursor = base;
    return this.next();
  }

  #take(events: EventBatch): Step {
    this.#cursor = events.at(-1)!.seq;
    return { done: false, value: events };
  }

  #end(step: Step): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#feed.leave(this);
    this.#pending?.resolve(step);
    this.#pending = undefined;
  }
}

import type { StoredEvent } from '../../core/journal.js';
import type { EventBatch } from '../../journal/hub.js';
import { settles } from './waiting.js';

/** An event on its way to a reader. */
export interface StreamedEvent extends StoredEvent {
  /** A pause in a replay, which was over when the stream began: this reader's stream goes on behind it. */
  passed?: boolean;
}

/**
 * What a streaming call reads: pulled, so that a slow reader holds a cursor and no buffer. Events may be
 * shared with other readers and must not be changed.
 */
export interface EventStream {
  readonly taskId: string;
  /** The next events, as many as are there; undefined at the end. One call at a time. */
  next(): Promise<readonly StreamedEvent[] | undefined>;
  /** Safe to call again, and while `next` waits, which then ends. */
  close(): void;
}

export interface TaskStreamOptions {
  /** Events that were read already, in front of those of the reader. */
  first?: EventBatch;
  /**
   * The newest sequence when the stream began. Events before it are a replay, and only the newest event
   * of a replay may close the stream (B06).
   */
  replayEnd: number;
}

/** Closes behind the event that settles the task. */
export class TaskStream implements EventStream {
  private first: EventBatch;
  private readonly replayEnd: number;
  private ended = false;

  constructor(
    readonly taskId: string,
    private readonly reader: AsyncIterableIterator<EventBatch, undefined>,
    { first = [], replayEnd }: TaskStreamOptions,
  ) {
    this.first = first;
    this.replayEnd = replayEnd;
  }

  async next(): Promise<readonly StreamedEvent[] | undefined> {
    if (this.ended) return undefined;
    const events = this.first.length > 0 ? this.first : (await this.reader.next()).value;
    this.first = [];
    if (events === undefined) return undefined;
    const last = events.findIndex(({ seq, event }) => seq >= this.replayEnd && settles(event));
    if (last !== -1) this.close();
    const shown = last === -1 ? events : events.slice(0, last + 1);
    return shown.some((stored) => this.isPassed(stored))
      ? shown.map((stored) => (this.isPassed(stored) ? { ...stored, passed: true } : stored))
      : shown;
  }

  private isPassed({ seq, event }: StoredEvent): boolean {
    return seq < this.replayEnd && settles(event);
  }

  close(): void {
    this.ended = true;
    void this.reader.return?.();
  }
}

/** A stream of what is known already: a direct message, the snapshot of a finished task, or nothing. */
export function fixedStream(taskId: string, events: EventBatch): EventStream {
  let left: EventBatch | undefined = events.length > 0 ? events : undefined;
  return {
    taskId,
    next() {
      const events = left;
      left = undefined;
      return Promise.resolve(events);
    },
    close() {
      left = undefined;
    },
  };
}

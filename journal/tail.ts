import type { JournalReads, StoredEvent } from '../core/journal.js';

/** Most events that are read at once. */
export const BATCH = 256;

/**
 * The events of a task after a sequence, as they come: batches, in order, without end, until the signal
 * is aborted. It listens first and then reads, so that nothing falls in between. For many readers of one task
 * there is the {@link Hub}.
 */
export async function* tail(
  journal: Pick<JournalReads, 'readEvents' | 'watch'>,
  taskId: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<StoredEvent[], void, void> {
  let woken = true;
  let wake: () => void = () => undefined;
  const ring = (): void => {
    woken = true;
    wake();
  };
  const unwatch = journal.watch(taskId, ring);
  signal.addEventListener('abort', ring);
  try {
    while (!signal.aborted) {
      if (!woken) await new Promise<void>((resolve) => (wake = resolve));
      woken = false;
      if (signal.aborted) return;
      const events = await journal.readEvents(taskId, after, BATCH);
      if (events.length === 0) continue;
      after = events.at(-1)!.seq;
      // There may be more at once.
      woken = true;
      yield events;
    }
  } finally {
    unwatch();
    signal.removeEventListener('abort', ring);
  }
}

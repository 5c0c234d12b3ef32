import { describe, expect, test } from 'vitest';
import type { StoredEvent } from '../../core/journal.js';
import { type EventBatch, Hub, type SqlJournal } from '../../journal/index.js';
import { journalFile, openJournal, type Run, startRun, status } from './support.js';

/** Reads until the sequence is there. */
async function readUntil(batches: AsyncIterable<EventBatch>, last: number): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for await (const batch of batches) {
    events.push(...batch);
    if (events.at(-1)!.seq >= last) break;
  }
  return events;
}

function seqs(events: readonly StoredEvent[]): number[] {
  return events.map(({ seq }) => seq);
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

async function progress(run: Run, n: number): Promise<void> {
  for (let i = 0; i < n; i++) await run.append(status('TASK_STATE_WORKING', `${i}`));
}

function pause(millis: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, millis));
}

describe('watch', () => {
  test('B08 wakes after the commit, for this task only, until it is ended', async () => {
    const journal = await openJournal();
    const [run, other] = [await startRun(journal), await startRun(journal)];
    const seen: Promise<number>[] = [];
    const unwatch = journal.watch(run.taskId, () =>
      seen.push(journal.readAny(run.taskId).then((task) => task!.lastSeq)),
    );
    await progress(other, 2);
    expect(seen).toHaveLength(0);
    await progress(run, 1);
    expect(await Promise.all(seen)).toEqual([2]);
    unwatch();
    unwatch();
    await progress(run, 1);
    expect(seen).toHaveLength(1);
    expect(journal.stats.watchers).toBe(0);
  });

  test('B08 what one listener throws stops neither the others nor the writer', async () => {
    const journal = await openJournal();
    const run = await startRun(journal);
    const handlers = process.listeners('uncaughtException');
    for (const handler of handlers) process.off('uncaughtException', handler);
    const thrown = new Promise((resolve) => process.once('uncaughtException', resolve));
    const unwatch = journal.watch(run.taskId, () => {
      throw new Error('listener');
    });
    const woken = new Promise((resolve) => journal.watch(run.taskId, () => resolve('woken')));
    await progress(run, 1);
    expect(await woken).toBe('woken');
    expect(String(await thrown)).toBe('Error: listener');
    unwatch();
    for (const handler of handlers) process.on('uncaughtException', handler);
    expect((await run.append(status('TASK_STATE_COMPLETED'))).outcome).toBe('recorded');
  });

  test('B08 wakes for what another connection to the file wrote, a write of our own in between or not', async () => {
    const file = journalFile();
    const [here, there] = [await openJournal({}, file), await openJournal({}, file)];
    const run = await startRun(there);
    const own = await startRun(here);
    for (let i = 0; i < 30; i++) {
      const woken = new Promise<string>((resolve) => {
        const unwatch = here.watch(run.taskId, () => {
          unwatch();
          resolve('woken');
        });
      });
      const noise = i % 2 === 0 ? progress(own, 1) : undefined;
      await progress(run, 1);
      if (i % 3 === 0) await progress(own, 1);
      await noise;
      expect(await Promise.race([woken, pause(2_000)])).toBe('woken');
    }
    expect(here.stats.watchers).toBe(0);
  });
});

/** Counts what the hub asks of the journal. */
function counting(journal: SqlJournal) {
  const calls = { reads: 0, watches: 0 };
  return {
    calls,
    readEvents(...args: Parameters<SqlJournal['readEvents']>) {
      calls.reads += 1;
      return journal.readEvents(...args);
    },
    watch(...args: Parameters<SqlJournal['watch']>) {
      calls.watches += 1;
      return journal.watch(...args);
    },
  };
}

describe('the hub', () => {
  test('B08 no gap and no duplicate, whenever the reader joins', async () => {
    const journal = await openJournal();
    const run = await startRun(journal);
    const hub = new Hub(journal);
    const writing = progress(run, 200);
    const readers: Promise<StoredEvent[]>[] = [];
    for (let i = 0; i < 20; i++) {
      const { lastSeq } = (await journal.readAny(run.taskId))!;
      readers.push(readUntil(hub.subscribe(run.taskId, lastSeq), 201));
      const from = lastSeq + 1;
      readers.push(
        readers.at(-1)!.then((events) => (expect(seqs(events)).toEqual(range(from, 201)), events)),
      );
      await pause(2);
    }
    await writing;
    await Promise.all(readers);
    expect(journal.stats.watchers).toBe(0);
  });

  test('B08 what is there already comes without a wake', async () => {
    const journal = await openJournal();
    const run = await startRun(journal);
    await progress(run, 600);
    const hub = new Hub(journal);
    expect(seqs(await readUntil(hub.subscribe(run.taskId, 0), 601))).toEqual(range(1, 601));
  });

  test('B08 X03 a hundred readers share one watch, one read per wake, and the event objects', async () => {
    const journal = await openJournal();
    const run = await startRun(journal);
    const source = counting(journal);
    const hub = new Hub(source);
    const readers = Array.from({ length: 100 }, () => readUntil(hub.subscribe(run.taskId, 1), 51));
    await pause(10);
    expect(hub.counts).toEqual({ tasks: 1, readers: 100 });
    await progress(run, 50);
    const all = await Promise.all(readers);
    for (const events of all) {
      expect(seqs(events)).toEqual(range(2, 51));
      expect(events.every((event, i) => event === all[0]![i])).toBe(true);
    }
    expect(source.calls.watches).toBe(1);
    // A read that finds nothing follows each that found something.
    expect(source.calls.reads).toBeLessThan(120);
    expect(hub.counts).toEqual({ tasks: 0, readers: 0 });
    expect(journal.stats.watchers).toBe(0);
  });

  test('B08 readers that join at any time and cursor get all that is after it', async () => {
    const journal = await openJournal();
    const run = await startRun(journal);
    const hub = new Hub(journal);
    const readers: Promise<StoredEvent[]>[] = [];
    const cursors: number[] = [];
    const join = (cursor: number): void => {
      cursors.push(cursor);
      readers.push(readUntil(hub.subscribe(run.taskId, cursor), 701));
    };
    join(1);
    for (let i = 0; i < 700; i += 20) {
      await progress(run, 20);
      join(Math.floor(Math.random() * (i + 20)));
      if (i % 100 === 0) join(i + 21);
    }
    const all = await Promise.all(readers);
    expect(all.map(seqs)).toEqual(cursors.map((cursor) => range(cursor + 1, 701)));
  });

  test('B08 X41 a reader that is slow or stuck holds nobody up, and catches up by its own cursor', async () => {
    const journal = await openJournal();
    const run = await startRun(journal);
    const hub = new Hub(journal);
    const slow = hub.subscribe(run.taskId, 1);
    const stuck = hub.subscribe(run.taskId, 1);
    const prompt = readUntil(hub.subscribe(run.taskId, 1), 1_001);
    for (let n = 0; n < 1_000; n += 50) {
      await journal.appendDeltas(
        Array.from({ length: 50 }, (_, i) => ({
          taskId: run.taskId,
          key: `s:1:${n + i}`,
          artifactId: 'art.1',
          append: n + i > 0,
          text: `${n + i} `,
        })),
      );
    }
    expect(seqs(await prompt)).toEqual(range(2, 1_001));
    expect(seqs(await readUntil(slow, 1_001))).toEqual(range(2, 1_001));
    expect(hub.counts).toEqual({ tasks: 1, readers: 1 });
    await stuck.return!();
    expect(hub.counts).toEqual({ tasks: 0, readers: 0 });
  });

  test('B10 a reader ends by signal, by leaving the loop, before it began, and while it waits', async () => {
    const journal = await openJournal();
    const run = await startRun(journal);
    const hub = new Hub(journal);
    const stop = new AbortController();
    const waiting = hub.subscribe(run.taskId, 1, stop.signal);
    const next = waiting.next();
    const idle = hub.subscribe(run.taskId, 1, stop.signal);
    expect(hub.counts.readers).toBe(2);
    stop.abort();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(await idle.next()).toEqual({ done: true, value: undefined });
    const never = hub.subscribe(run.taskId, 0, stop.signal);
    expect(await never.next()).toEqual({ done: true, value: undefined });
    expect(seqs(await readUntil(hub.subscribe(run.taskId, 0), 1))).toEqual([1]);
    expect(hub.counts).toEqual({ tasks: 0, readers: 0 });
    expect(journal.stats.watchers).toBe(0);
  });

  test('B10 a read that fails ends the readers that wait for it with the error', async () => {
    const journal = await openJournal();
    const { taskId } = await startRun(journal);
    const hub = new Hub({
      watch: (...args) => journal.watch(...args),
      readEvents: () => Promise.reject(new Error('no database')),
    });
    const readers = [hub.subscribe(taskId, 0), hub.subscribe(taskId, 0)];
    const outcomes = await Promise.allSettled(readers.map((reader) => reader.next()));
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected']);
    expect(hub.counts).toEqual({ tasks: 0, readers: 0 });
  });

  test('B08 X41 a megabyte of newest events is kept for readers, what is older they read again', async () => {
    const journal = await openJournal();
    const run = await startRun(journal);
    const source = counting(journal);
    const hub = new Hub(source);
    const first = hub.subscribe(run.taskId, 1);
    for (let i = 0; i < 5; i++) {
      const wanted = first.next();
      await run.append(status('TASK_STATE_WORKING', 'x'.repeat(600_000)));
      await wanted;
    }
    await pause(5);
    const before = source.calls.reads;
    expect(seqs(await readUntil(hub.subscribe(run.taskId, 5), 6))).toEqual([6]);
    expect(source.calls.reads).toBe(before);
    expect(seqs(await readUntil(hub.subscribe(run.taskId, 1), 6))).toEqual(range(2, 6));
    expect(source.calls.reads).toBe(before + 1);
    await first.return!();
  });
});

import { describe, expect, test } from 'vitest';
import Database from 'better-sqlite3';
import type { SqlJournal } from '../../journal/index.js';
import { Hub } from '../../journal/index.js';
import type { Run } from './support.js';
import {
  allEvents,
  artifact,
  followUp,
  journalFile,
  newTask,
  openJournal,
  SCOPE,
  startRun,
  status,
  testClock,
  userMessage,
  words,
} from './support.js';

const MINUTE = 60_000;
const DAY = 86_400_000;
const BIG = 'x'.repeat(70_000);

async function stream(run: Run, artifactId: string, texts: string[]): Promise<void> {
  for (const [at, text] of texts.entries()) {
    const key = `${artifactId}:1:${at}`;
    await run.journal.appendDeltas([{ taskId: run.taskId, key, artifactId, append: at > 0, text }]);
  }
}

/** Rows per table that name the task. */
function rowsOf(file: string, taskId: string): Record<string, number> {
  const db = new Database(file, { readonly: true });
  const tables = [
    'tasks',
    'events',
    'messages',
    'artifacts',
    'blobs',
    'transcripts',
    'sends',
    'commands',
    'turns',
  ];
  const counts = tables.map((table): [string, number] => [
    table,
    db.prepare(`select count(*) from ${table} where task_id = ?`).pluck().get(taskId) as number,
  ]);
  db.close();
  return Object.fromEntries(counts.filter(([, n]) => n > 0));
}

describe('compaction', () => {
  test('B07 X12 a cursor in compacted fragments goes on with the whole artifact, nothing twice', async () => {
    const clock = testClock();
    const journal = await openJournal({ now: clock.now });
    const run = await startRun(journal);
    await run.append(status('TASK_STATE_WORKING'));
    await stream(run, 'art.1', ['One ', 'two ', 'three']);
    await run.append({ kind: 'close', artifactId: 'art.1' });
    await stream(run, 'art.2', ['still ', 'open']);
    const before = await journal.read(SCOPE, run.taskId);
    clock.advance(10 * MINUTE);
    expect(await journal.sweep(new Date(clock.now()))).toEqual({ deltas: 0, events: 0, tasks: 0 });
    clock.advance(1);
    expect(await journal.sweep(new Date(clock.now()))).toEqual({ deltas: 3, events: 0, tasks: 0 });
    expect(await journal.sweep(new Date(clock.now()))).toEqual({ deltas: 0, events: 0, tasks: 0 });
    expect(await journal.read(SCOPE, run.taskId)).toEqual(before);
    const events = await allEvents(journal, run.taskId);
    expect(words(events)).toEqual(['task', 'WORKING', 'artifact.', 'artifact', '+artifact']);
    const closing = events[2]!;
    expect(closing).toMatchObject({
      seq: 6,
      event: {
        artifactUpdate: { append: false, lastChunk: true, artifact: { parts: [{ text: 'One two three' }] } },
      },
    });
    for (const cursor of [2, 3, 4, 5]) {
      expect((await journal.readEvents(run.taskId, cursor, 10)).map(({ seq }) => seq)).toEqual([6, 7, 8]);
    }
    await run.append({ kind: 'close', artifactId: 'art.2' }, status('TASK_STATE_COMPLETED'));
    clock.advance(11 * MINUTE);
    expect((await journal.sweep(new Date(clock.now()))).deltas).toBe(2);
    expect((await journal.readAny(run.taskId))!.task.artifacts).toHaveLength(2);
  });

  test('X12 an idle reader gets what comes around a compaction, each once and in order', async () => {
    const clock = testClock();
    const journal = await openJournal({ now: clock.now });
    const run = await startRun(journal);
    await run.append(status('TASK_STATE_WORKING'));
    const stop = new AbortController();
    const seen: number[] = [];
    const reader = (async () => {
      for await (const batch of new Hub(journal).subscribe(run.taskId, 2, stop.signal))
        seen.push(...batch.map(({ seq }) => seq));
    })();
    await stream(run, 'art.1', ['e', '1']);
    await run.append({ kind: 'close', artifactId: 'art.1' });
    clock.advance(11 * MINUTE);
    const [swept] = await Promise.all([
      journal.sweep(new Date(clock.now())),
      run.append(status('TASK_STATE_WORKING', 'e2')),
    ]);
    expect(swept.deltas).toBe(2);
    await run.append(status('TASK_STATE_COMPLETED'));
    await expect.poll(() => seen.at(-1)).toBe(7);
    stop.abort();
    await reader;
    expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
    expect(seen).toEqual(expect.arrayContaining([5, 6, 7]));
  });

  test('X12 ten thousand fragments are removed in portions, and others write meanwhile', async () => {
    const clock = testClock();
    const journal = await openJournal({ now: clock.now });
    const run = await startRun(journal);
    for (let n = 0; n < 10_000; n += 500) {
      await journal.appendDeltas(
        Array.from({ length: 500 }, (_, i) => ({
          taskId: run.taskId,
          key: `s:1:${n + i}`,
          artifactId: 'art.1',
          append: n + i > 0,
          text: 'x',
        })),
      );
    }
    await run.append({ kind: 'close', artifactId: 'art.1' });
    clock.advance(11 * MINUTE);
    let swept = 0;
    const sweeping = journal.sweep(new Date(clock.now())).then(({ deltas }) => (swept = deltas));
    let accepted = 0;
    while (swept === 0) {
      await journal.accept(newTask());
      accepted += 1;
    }
    await sweeping;
    expect(swept).toBe(10_000);
    expect(accepted).toBeGreaterThan(3);
  });
});

describe('retention', () => {
  async function ended(journal: SqlJournal): Promise<Run> {
    const run = await startRun(journal, { message: userMessage(BIG), idempotencyKey: 'k', contextId: 'C' });
    await journal.putTranscript(run.taskId, 'g1', 0, ['x']);
    await stream(run, 'art.1', ['a', 'b']);
    await journal.acceptFollowUp(followUp(run.taskId));
    await run.append(artifact('art.2', [{ text: BIG }]), status('TASK_STATE_COMPLETED'));
    return run;
  }

  test('B07 events of tasks that ended long ago go; the task stays readable and tells its floor', async () => {
    const clock = testClock();
    const journal = await openJournal({ now: clock.now });
    const run = await ended(journal);
    const open = await startRun(journal);
    const before = (await journal.read(SCOPE, run.taskId))!;
    clock.advance(8 * DAY);
    const { events } = await journal.sweep(new Date(clock.now()));
    expect(events).toBeGreaterThan(3);
    expect(await journal.read(SCOPE, run.taskId)).toEqual({ ...before, floorSeq: before.lastSeq });
    expect(await allEvents(journal, run.taskId)).toEqual([]);
    expect(await allEvents(journal, open.taskId)).toHaveLength(1);
    expect((await run.append(status('TASK_STATE_FAILED'))).outcome).toBe('terminal');
    expect(await journal.sweep(new Date(clock.now()))).toEqual({ deltas: 0, events: 0, tasks: 0 });
  });

  test('A06 by default no task is ever removed', async () => {
    const clock = testClock();
    const journal = await openJournal({ now: clock.now });
    const run = await ended(journal);
    clock.advance(10_000 * DAY);
    expect((await journal.sweep(new Date(clock.now()))).tasks).toBe(0);
    expect(await journal.read(SCOPE, run.taskId)).toBeDefined();
  });

  test('X38 after its retention a task is gone with all that belonged to it, and the totals know', async () => {
    const clock = testClock();
    const file = journalFile();
    const journal = await openJournal({ now: clock.now, keepTasks: 30 * DAY, keepEvents: 90 * DAY }, file);
    const run = await ended(journal);
    const hidden = await startRun(journal, { visible: false });
    await hidden.append({ kind: 'message', message: { parts: [{ text: '42' }] } });
    const open = await startRun(journal);
    expect(Object.keys(rowsOf(file, run.taskId))).toEqual([
      'tasks',
      'events',
      'messages',
      'artifacts',
      'blobs',
      'transcripts',
      'sends',
      'commands',
    ]);
    clock.advance(31 * DAY);
    expect((await journal.sweep(new Date(clock.now()))).tasks).toBe(2);
    expect(await journal.read(SCOPE, run.taskId)).toBeUndefined();
    expect(rowsOf(file, run.taskId)).toEqual({});
    expect(rowsOf(file, hidden.taskId)).toEqual({});
    const all = await journal.list({ scope: SCOPE, pageSize: 10, includeArtifacts: false });
    expect([all.tasks.map(({ id }) => id), all.totalSize]).toEqual([[open.taskId], 1]);
    const inContext = await journal.list({
      scope: SCOPE,
      contextId: 'C',
      pageSize: 10,
      includeArtifacts: false,
    });
    expect(inContext).toMatchObject({ tasks: [], totalSize: 0 });
    await expect(journal.acceptFollowUp(followUp(run.taskId))).rejects.toMatchObject({
      code: 'TASK_NOT_FOUND',
    });
    expect((await journal.accept(newTask({ idempotencyKey: 'k' }))).duplicate).toBe(false);
    const db = new Database(file, { readonly: true });
    expect(db.prepare('select count(*) from contexts where context_id = ?').pluck().get('C')).toBe(0);
    db.close();
  });

  test('F03 two sweeps at once on one file remove each row once', async () => {
    const clock = testClock();
    const file = journalFile();
    const [one, two] = [
      await openJournal({ now: clock.now }, file),
      await openJournal({ now: clock.now }, file),
    ];
    for (let i = 0; i < 30; i++) {
      const run = await startRun(one);
      await stream(run, 'art.1', ['a', 'b']);
      await run.append(status('TASK_STATE_COMPLETED'));
    }
    clock.advance(11 * MINUTE);
    const swept = await Promise.all([one.sweep(new Date(clock.now())), two.sweep(new Date(clock.now()))]);
    expect(swept[0].deltas + swept[1].deltas).toBe(60);
  });
});

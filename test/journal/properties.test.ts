import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fold } from '../../core/fold.js';
import type { Delta, Entry } from '../../core/journal.js';
import { isSettled, isTerminal } from '../../core/states.js';
import type { Artifact, Message, StreamResponse, Task } from '../../core/task.js';
import { openSqliteJournal, type SqlJournal } from '../../journal/index.js';
import {
  allEvents,
  followUp,
  journalFile,
  openJournal,
  Run,
  SCOPE,
  startRun,
  userMessage,
} from './support.js';

const STATES = [
  'WORKING',
  'COMPLETED',
  'FAILED',
  'CANCELED',
  'INPUT_REQUIRED',
  'REJECTED',
  'AUTH_REQUIRED',
] as const;
/** Ends are rare, or nothing would ever happen after them. */
const state = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('WORKING', 'INPUT_REQUIRED', 'AUTH_REQUIRED') },
  { weight: 1, arbitrary: fc.constantFrom(...STATES) },
);
const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constant('x'.repeat(70_000)));
const parts = fc.array(
  fc.oneof(
    text.map((value) => ({ text: value })),
    fc.json().map((json) => ({ data: JSON.parse(json) as never })),
    fc.base64String().map((raw) => ({ raw, mediaType: 'image/png' })),
    text.map((value) => ({ text: value, metadata: { cited: true } })),
  ),
  { maxLength: 3 },
);
const artifactId = fc.constantFrom('art.1', 'art.2', 'art.3');

const entry: fc.Arbitrary<Entry> = fc.oneof(
  fc
    .record({
      kind: fc.constant('status' as const),
      state: state.map((name) => `TASK_STATE_${name}` as const),
      message: fc.option(fc.record({ parts }), { nil: undefined }),
    })
    .map(({ message, ...rest }) => (message === undefined ? rest : { ...rest, message })),
  fc.record({
    kind: fc.constant('artifact' as const),
    artifact: fc.record({ artifactId, parts }),
    append: fc.boolean(),
    lastChunk: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('close' as const), artifactId }),
  fc.record({ kind: fc.constant('received' as const), message: text.map((value) => userMessage(value)) }),
  fc.record({ kind: fc.constant('metadata' as const), metadata: fc.dictionary(fc.string(), fc.integer()) }),
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('message' as const), message: fc.record({ parts }) }),
  },
);

type Step =
  | { do: 'append'; entries: Entry[]; again: boolean }
  | { do: 'fragments'; artifactId: string; texts: string[]; append: boolean; again: boolean }
  | { do: 'follow'; text: string }
  | { do: 'close' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('append' as const),
      entries: fc.array(entry, { minLength: 1, maxLength: 4 }),
      again: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('fragments' as const),
      artifactId,
      texts: fc.array(text, { minLength: 1, maxLength: 4 }),
      append: fc.boolean(),
      again: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('follow' as const), text }) },
  { weight: 1, arbitrary: fc.constant({ do: 'close' as const }) },
);

class Model {
  fragments = 0;
  attempts = 0;

  constructor(
    readonly journal: SqlJournal,
    readonly run: Run,
  ) {}

  async take(one: Step): Promise<void> {
    const { journal, run } = this;
    if (one.do === 'append') {
      const input = run.next(one.entries);
      const first = await run.append(...one.entries);
      expect(['recorded', 'terminal']).toContain(first.outcome);
      if (!one.again || first.outcome !== 'recorded') return;
      const again = await journal.append(input);
      expect({ ...again, commands: [] }).toEqual({ ...first, commands: [] });
    } else if (one.do === 'fragments') {
      const attempt = ++this.attempts;
      const deltas = one.texts.map((value, i): Delta => {
        const key = `s:${attempt}:${i}`;
        return {
          taskId: run.taskId,
          key,
          artifactId: one.artifactId,
          append: one.append || i > 0,
          text: value,
        };
      });
      await journal.appendDeltas(deltas);
      if (one.again) await journal.appendDeltas(deltas);
    } else if (one.do === 'follow') {
      await journal
        .acceptFollowUp(followUp(run.taskId, { message: userMessage(one.text) }))
        .catch((error: unknown) => {
          expect(error).toMatchObject({ code: 'UNSUPPORTED_OPERATION' });
        });
    } else {
      await journal.closeTask(run.taskId, 'TASK_STATE_CANCELED', 'closed');
    }
  }
}

function states(events: StreamResponse[]): string[] {
  return events.flatMap((event) => ('statusUpdate' in event ? [event.statusUpdate.status.state] : []));
}

function openArtifacts(events: StreamResponse[]): Set<string> {
  const open = new Set<string>();
  for (const event of events) {
    if (!('artifactUpdate' in event)) continue;
    const { artifact, lastChunk } = event.artifactUpdate;
    if (lastChunk === true) open.delete(artifact.artifactId);
    else open.add(artifact.artifactId);
  }
  return open;
}

/** What the events alone cannot tell: the user's later messages, and the task's own metadata. */
function comparable({ history, artifacts, ...task }: Task): Omit<Task, 'metadata'> {
  const spoken = (history ?? []).filter((message: Message, at) => message.role === 'ROLE_AGENT' || at === 0);
  const { metadata: _metadata, ...rest } = task;
  return { ...rest, history: spoken, ...(artifacts && artifacts.length > 0 && { artifacts }) };
}

async function check(journal: SqlJournal, file: string, taskId: string): Promise<void> {
  const stored = await allEvents(journal, taskId);
  const events = stored.map(({ event }) => event);
  const read = (await journal.readAny(taskId))!;
  // Gapless from 1.
  expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, at) => at + 1));
  expect(read.lastSeq).toBe(stored.length);
  // Folding the log gives the snapshot.
  const folded = events.reduce(fold, {} as Task);
  expect(comparable(folded)).toEqual(comparable(read.task));
  // A journal that has no snapshot of its own reads the same.
  const other = await openSqliteJournal({ file });
  expect(await other.readAny(taskId)).toEqual(read);
  const page = await other.list({ scope: SCOPE, pageSize: 1, includeArtifacts: true });
  expect(page.tasks).toEqual([read.task]);
  await other.close();
  // Nothing follows a terminal event, and no settled status leaves an artifact open.
  for (const [at, event] of events.entries()) {
    if (!('statusUpdate' in event)) continue;
    const { state: of } = event.statusUpdate.status;
    if (isTerminal(of)) expect(at).toBe(events.length - 1);
    if (isSettled(of)) expect(openArtifacts(events.slice(0, at))).toEqual(new Set());
  }
  expect(states(events)).not.toContain('TASK_STATE_SUBMITTED');
}

describe('random runs', () => {
  test('A05 A06 A18 B02 B04 any sequence of entries keeps the invariants, and fold gives what is read', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 12 }),
        fc.boolean(),
        async (steps, reads) => {
          const file = journalFile();
          const journal = await openJournal({ keepFragments: 0 }, file);
          try {
            const model = new Model(journal, await startRun(journal));
            for (const one of steps) {
              await model.take(one);
              // Reads build on each other; in the end they must say what a first read says.
              if (reads) await journal.readAny(model.run.taskId);
            }
            await check(journal, file, model.run.taskId);
            // Compaction changes no snapshot, and what it leaves still folds to the same artifacts.
            const before = (await journal.readAny(model.run.taskId))!;
            await journal.sweep(new Date(Date.now() + 1_000));
            expect(await journal.readAny(model.run.taskId)).toEqual(before);
            const left = (await allEvents(journal, model.run.taskId)).map(({ event }) => event);
            const artifacts = (list: Artifact[] | undefined) =>
              [...(list ?? [])].sort((a, b) => (a.artifactId < b.artifactId ? -1 : 1));
            expect(artifacts(left.reduce(fold, {} as Task).artifacts)).toEqual(
              artifacts(before.task.artifacts),
            );
          } finally {
            await journal.close();
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  test('A06 A13 B02 many tasks and writers at once keep every invariant', async () => {
    const journal = await openJournal();
    const runs = await Promise.all(Array.from({ length: 8 }, () => startRun(journal)));
    const words = fc.sample(fc.array(step, { minLength: 10, maxLength: 20 }), 16);
    // Two writers for each task, as when an activity that was given up for dead still runs.
    await Promise.all(
      words.map(async (steps, i) => {
        const model = new Model(journal, new Run(journal, runs[i % 8]!.taskId));
        for (const one of steps) {
          if (one.do === 'append') await model.run.append(...one.entries);
          else if (one.do === 'fragments') await model.take({ ...one, again: false });
          else if (one.do === 'follow') await model.take(one);
        }
      }),
    );
    for (const { taskId } of runs) {
      const stored = await allEvents(journal, taskId);
      expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, at) => at + 1));
      const read = (await journal.readAny(taskId))!;
      expect(comparable(stored.map(({ event }) => event).reduce(fold, {} as Task))).toEqual(
        comparable(read.task),
      );
    }
    for (const of of [undefined, ...STATES.map((name) => `TASK_STATE_${name}` as const)]) {
      const { tasks, totalSize } = await journal.list({
        scope: SCOPE,
        pageSize: 100,
        includeArtifacts: false,
        ...(of !== undefined && { status: of }),
      });
      expect(totalSize).toBe(tasks.length);
    }
  });
});

import { describe, expect, test } from 'vitest';
import type { Entry } from '../../core/journal.js';
import {
  allEvents,
  artifact,
  newTask,
  openJournal,
  Run,
  SCOPE,
  startRun,
  status,
  testClock,
  userMessage,
  words,
} from './support.js';

const ANSWER: Entry[] = [
  status('TASK_STATE_WORKING'),
  artifact('art.1', [{ text: 'the answer' }]),
  status('TASK_STATE_COMPLETED'),
];

describe('append', () => {
  test('B02 sequences have no gap, and user messages take none', async () => {
    const journal = await openJournal();
    const run = await startRun(journal);
    await run.append(status('TASK_STATE_WORKING', 'on it'));
    await journal.acceptFollowUp({ taskId: run.taskId, scope: SCOPE, message: userMessage(), options: {} });
    await run.append({ kind: 'received', message: userMessage('by signal') });
    const result = await run.append(...ANSWER.slice(1));
    expect(result).toMatchObject({
      outcome: 'recorded',
      state: 'TASK_STATE_COMPLETED',
      lastSeq: 4,
      statusSeq: 4,
    });
    const events = await allEvents(journal, run.taskId);
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect(words(events)).toEqual(['task', 'WORKING', 'artifact.', 'COMPLETED']);
    const { task } = (await journal.read(SCOPE, run.taskId))!;
    expect(task.history!.map(({ parts }) => parts[0])).toEqual([
      { text: 'hello' },
      { text: 'on it' },
      { text: 'hello' },
      { text: 'by signal' },
    ]);
    for (const message of task.history!) expect(message.metadata?.$timestamp).toMatch(/^\d{4}-.*Z$/);
  });

  test('A02 a status message enters history at once under the same messageId', async () => {
    const journal = await openJournal();
    const run = await startRun(journal);
    await run.append(status('TASK_STATE_INPUT_REQUIRED', 'which?'));
    const { task } = (await journal.read(SCOPE, run.taskId))!;
    expect(task.status.message).toEqual(task.history!.at(-1));
    const last = (await allEvents(journal, run.taskId)).at(-1)!.event;
    expect('statusUpdate' in last && last.statusUpdate.status).toEqual(task.status);
  });

  test('F03 an append that comes again repeats nothing and gives what is recorded', async () => {
    const journal = await openJournal();
    const run = await startRun(journal);
    const input = run.next([
      status('TASK_STATE_WORKING', 'x'),
      artifact('art.1', [{ text: 'a' }]),
      status('TASK_STATE_WORKING', 'y'),
    ]);
    const first = await journal.append(input);
    const again = {
      ...input,
      entries: input.entries.map((entry) =>
        entry.kind === 'artifact' ? artifact('art.2', [{ text: 'a' }]) : entry,
      ),
    };
    expect(await journal.append(again)).toEqual({ ...first, artifactIds: { 'art.2': 'art.1' } });
    expect(await allEvents(journal, run.taskId)).toHaveLength(4);
    expect((await journal.read(SCOPE, run.taskId))!.task.history).toHaveLength(3);
  });

  test('F03 of an append that begins the same only the rest is new, under the recorded ids', async () => {
    const journal = await openJournal();
    const run = await startRun(journal);
    await journal.append(
      run.next([status('TASK_STATE_WORKING'), artifact('art.1', [{ text: 'a' }], { lastChunk: false })]),
    );
    const result = await journal.append(
      run.next([
        status('TASK_STATE_WORKING'),
        artifact('art.2', [{ text: 'a' }], { lastChunk: false }),
        artifact('art.2', [{ text: 'b' }], { append: true, lastChunk: false }),
        { kind: 'close', artifactId: 'art.2' },
      ]),
    );
    expect(result).toMatchObject({
      outcome: 'recorded',
      artifactIds: { 'art.2': 'art.1' },
      statusSeq: 2,
      lastSeq: 5,
    });
    expect((await journal.read(SCOPE, run.taskId))!.task.artifacts).toEqual([
      { artifactId: 'art.1', parts: [{ text: 'ab' }] },
    ]);
  });

  test('F03 another path after the same key is recorded, not taken for the first', async () => {
    const journal = await openJournal();
    const run = await startRun(journal);
    await journal.append(run.next([status('TASK_STATE_WORKING', 'one')]));
    const other = await journal.append(run.next([status('TASK_STATE_INPUT_REQUIRED', 'two')]));
    expect(other).toMatchObject({ outcome: 'recorded', state: 'TASK_STATE_INPUT_REQUIRED', lastSeq: 3 });
  });

  test('F03 entries without an event are known again too', async () => {
    const journal = await openJournal();
    const run = await startRun(journal);
    const received: Entry = { kind: 'received', message: userMessage('once') };
    const first = run.next([received]);
    await run.append(received);
    await run.append(status('TASK_STATE_WORKING'));
    await journal.append(first);
    expect((await journal.read(SCOPE, run.taskId))!.task.history).toHaveLength(2);
    const closing = run.next([
      { kind: 'metadata', metadata: { $usage: { totalTokens: 3 } } },
      { kind: 'close', artifactId: 'none' },
    ]);
    expect((await journal.append(closing)).outcome).toBe('recorded');
    await journal.closeTask(run.taskId, 'TASK_STATE_CANCELED');
    expect((await journal.append(closing)).outcome).toBe('recorded');
    expect((await journal.read(SCOPE, run.taskId))!.task.metadata).toEqual({ $usage: { totalTokens: 3 } });
  });

  test('A06 a terminal task drops what comes late, and counts it', async () => {
    const journal = await openJournal();
    const run = await startRun(journal);
    const last = run.next(ANSWER);
    await run.append(...ANSWER);
    const before = [await journal.readAny(run.taskId), await allEvents(journal, run.taskId)];
    const late = await run.append(status('TASK_STATE_FAILED', 'late'), artifact('art.9', [{ text: 'late' }]));
    expect(late).toMatchObject({
      outcome: 'terminal',
      state: 'TASK_STATE_COMPLETED',
      lastSeq: 4,
      commands: [],
    });
    expect(journal.stats.dropped).toBe(2);
    expect(
      await journal.appendDeltas([
        { taskId: run.taskId, key: 's:1:1', artifactId: 'a', append: false, text: 'x' },
      ]),
    ).toBe(false);
    expect(journal.stats.dropped).toBe(3);
    expect((await run.append({ kind: 'received', message: userMessage() })).outcome).toBe('terminal');
    expect((await run.append({ kind: 'metadata', metadata: { late: true } })).outcome).toBe('terminal');
    expect((await journal.closeTask(run.taskId, 'TASK_STATE_FAILED')).outcome).toBe('terminal');
    expect([await journal.readAny(run.taskId), await allEvents(journal, run.taskId)]).toEqual(before);
    expect(await journal.append(last)).toMatchObject({ outcome: 'recorded', statusSeq: 4 });
  });

  test('A06 what follows the terminal entry in its own append is dropped and counted', async () => {
    const journal = await openJournal();
    const run = await startRun(journal);
    const result = await run.append(...ANSWER, status('TASK_STATE_WORKING'), artifact('art.2', []));
    expect(result).toMatchObject({ outcome: 'recorded', state: 'TASK_STATE_COMPLETED', lastSeq: 4 });
    expect(journal.stats.dropped).toBe(2);
  });

  test('A16 closing is a compare-and-set: the first terminal state stays', async () => {
    const journal = await openJournal();
    const run = await startRun(journal);
    await run.append(status('TASK_STATE_WORKING'));
    await journal.appendDeltas([
      { taskId: run.taskId, key: 's:1:1', artifactId: 'a', append: false, text: 'half' },
    ]);
    const results = await Promise.all([
      journal.closeTask(run.taskId, 'TASK_STATE_CANCELED', 'no worker answered'),
      run.append(status('TASK_STATE_COMPLETED')),
      journal.closeTask(run.taskId, 'TASK_STATE_FAILED', 'lost'),
    ]);
    expect(results.map(({ outcome, state }) => [outcome, state])).toEqual([
      ['recorded', 'TASK_STATE_CANCELED'],
      ['terminal', 'TASK_STATE_CANCELED'],
      ['terminal', 'TASK_STATE_CANCELED'],
    ]);
    const { task } = (await journal.read(SCOPE, run.taskId))!;
    expect(task.status.message?.parts).toEqual([{ text: 'no worker answered' }]);
    expect(words(await allEvents(journal, run.taskId))).toEqual([
      'task',
      'WORKING',
      'artifact',
      'artifact?.',
      'CANCELED',
    ]);
  });

  test('F03 an unknown task says so; a restored one goes on, with its turn', async () => {
    const journal = await openJournal();
    const input = newTask();
    const run = new Run(journal, input.taskId);
    expect(await run.append(status('TASK_STATE_WORKING'))).toMatchObject({ outcome: 'unknown', lastSeq: 0 });
    expect((await journal.closeTask(input.taskId, 'TASK_STATE_FAILED')).outcome).toBe('unknown');
    await journal.restore(input);
    await run.append(...ANSWER);
    const before = await journal.readAny(input.taskId);
    expect(before).toMatchObject({ task: { status: { state: 'TASK_STATE_COMPLETED' } }, lastSeq: 4 });
    await journal.restore(input);
    expect(await journal.readAny(input.taskId)).toEqual(before);
    expect(await journal.pendingCommands(new Date(Date.now() + 1_000), 10)).toEqual([]);
  });

  test('B04 SUBMITTED to an artifact shows WORKING between', async () => {
    const journal = await openJournal();
    const run = await startRun(journal);
    await run.append(artifact('art.1', [{ text: 'x' }]), status('TASK_STATE_COMPLETED'));
    expect(words(await allEvents(journal, run.taskId))).toEqual([
      'task',
      'WORKING',
      'artifact.',
      'COMPLETED',
    ]);
  });

  test('A06 a fault in one operation takes no other of its transaction with it', async () => {
    const journal = await openJournal();
    const runs = await Promise.all([startRun(journal), startRun(journal), startRun(journal)]);
    const outcomes = await Promise.allSettled([
      runs[0].append(...ANSWER),
      runs[1].append(status('TASK_STATE_WORKING'), status('TASK_STATE_SUBMITTED')),
      runs[2].append(...ANSWER),
      journal.accept(newTask({ taskId: runs[0].taskId })),
    ]);
    expect(outcomes.map(({ status: outcome }) => outcome)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
    ]);
    const states = await Promise.all(
      runs.map(async (run) => (await journal.readAny(run.taskId))?.task.status.state),
    );
    expect(states).toEqual(['TASK_STATE_COMPLETED', 'TASK_STATE_SUBMITTED', 'TASK_STATE_COMPLETED']);
    const { totalSize } = await journal.list({
      scope: SCOPE,
      status: 'TASK_STATE_COMPLETED',
      pageSize: 1,
      includeArtifacts: false,
    });
    expect(totalSize).toBe(2);
  });

  test('A06 what waits is joined: a hundred appends at once take a few transactions', async () => {
    const journal = await openJournal();
    const runs = await Promise.all(Array.from({ length: 100 }, () => startRun(journal)));
    const { commits, operations } = journal.stats;
    await Promise.all(runs.map((run) => run.append(...ANSWER)));
    expect(journal.stats.operations - operations).toBe(100);
    expect(journal.stats.commits - commits).toBeLessThan(50);
  });
});

describe('fragments', () => {
  const delta = (taskId: string, n: number, text: string, more: object = {}) => ({
    taskId,
    key: `s1:1:${n}`,
    artifactId: 'art.1',
    name: 'answer',
    append: n > 1,
    text,
    ...more,
  });

  test('B03 A18 fragments are events; an open artifact reads as one part; the closing event has all', async () => {
    const journal = await openJournal();
    const run = await startRun(journal);
    await run.append(status('TASK_STATE_WORKING'));
    const { taskId } = run;
    expect(await journal.appendDeltas([delta(taskId, 1, 'One '), delta(taskId, 2, 'two ')])).toBe(true);
    expect(await journal.appendDeltas([delta(taskId, 3, 'three')])).toBe(true);
    const whole = { artifactId: 'art.1', name: 'answer', parts: [{ text: 'One two three' }] };
    expect((await journal.read(SCOPE, taskId))!).toMatchObject({ task: { artifacts: [whole] }, lastSeq: 5 });
    expect(await journal.readArtifact(SCOPE, taskId, 'art.1')).toEqual(whole);
    await run.append({ kind: 'close', artifactId: 'art.1' }, status('TASK_STATE_COMPLETED'));
    const events = await allEvents(journal, taskId);
    expect(words(events)).toEqual([
      'task',
      'WORKING',
      'artifact',
      '+artifact',
      '+artifact',
      'artifact.',
      'COMPLETED',
    ]);
    expect(events.at(-2)!.event).toMatchObject({
      artifactUpdate: { artifact: whole, append: false, lastChunk: true },
    });
    expect((await journal.read(SCOPE, taskId))!.task.artifacts).toEqual([whole]);
    expect(await journal.readArtifact(SCOPE, taskId, 'none')).toBeUndefined();
    expect(await journal.readArtifact({ ...SCOPE, owner: 'bob' }, taskId, 'art.1')).toBeUndefined();
  });

  test('B11 fragments that come again are written once, with no gap in the sequences', async () => {
    const journal = await openJournal();
    const { taskId } = await startRun(journal);
    const all = [delta(taskId, 1, 'a'), delta(taskId, 2, 'b'), delta(taskId, 3, 'c')];
    await journal.appendDeltas(all.slice(0, 2));
    await journal.appendDeltas(all);
    await journal.appendDeltas(all);
    expect((await allEvents(journal, taskId)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect((await journal.readAny(taskId))!.task.artifacts![0]!.parts).toEqual([{ text: 'abc' }]);
  });

  test('B11 X39 a second attempt replaces the text; stragglers of the first are told to stop', async () => {
    const journal = await openJournal();
    const run = await startRun(journal);
    const { taskId } = run;
    await journal.appendDeltas([delta(taskId, 1, 'bro'), delta(taskId, 2, 'ken')]);
    const second = (n: number, text: string) => delta(taskId, n, text, { key: `s1:2:${n}` });
    expect(await journal.appendDeltas([second(1, 'wh')])).toBe(true);
    expect(await journal.appendDeltas([delta(taskId, 3, 'late')])).toBe(false);
    expect(await journal.appendDeltas([{ ...delta(taskId, 9, 'late'), append: false }])).toBe(false);
    expect(await journal.appendDeltas([second(2, 'ole')])).toBe(true);
    expect((await journal.readAny(taskId))!.task.artifacts![0]!.parts).toEqual([{ text: 'whole' }]);
    await run.append({ kind: 'close', artifactId: 'art.1' });
    expect(await journal.appendDeltas([second(3, 'late')])).toBe(false);
    expect((await journal.readAny(taskId))!.task.artifacts![0]!.parts).toEqual([{ text: 'whole' }]);
  });

  test('B04 what streams on through a pause loses nothing', async () => {
    const journal = await openJournal();
    const run = await startRun(journal);
    const { taskId } = run;
    await journal.appendDeltas([delta(taskId, 1, 'One '), delta(taskId, 2, 'two ')]);
    await run.append(status('TASK_STATE_INPUT_REQUIRED', 'which?'));
    expect(await journal.appendDeltas([delta(taskId, 3, 'three '), delta(taskId, 4, 'four')])).toBe(true);
    await run.append({ kind: 'close', artifactId: 'art.1' });
    const { task } = (await journal.readAny(taskId))!;
    expect(task.artifacts).toEqual([
      { artifactId: 'art.1', name: 'answer', parts: [{ text: 'One two three four' }] },
    ]);
  });

  test('A18 several artifacts may be open at once, and fragments of several tasks come in one call', async () => {
    const journal = await openJournal();
    const [one, two] = [await startRun(journal), await startRun(journal)];
    const b = (n: number, text: string) =>
      delta(one.taskId, n, text, { key: `s2:1:${n}`, artifactId: 'art.2' });
    await journal.appendDeltas([
      delta(one.taskId, 1, 'a'),
      b(1, 'x'),
      delta(two.taskId, 1, 'other'),
      delta(one.taskId, 2, 'b'),
      b(2, 'y'),
    ]);
    const texts = async (taskId: string) =>
      (await journal.readAny(taskId))!.task.artifacts!.map(({ parts }) => parts);
    expect(await texts(one.taskId)).toEqual([[{ text: 'ab' }], [{ text: 'xy' }]]);
    expect(await texts(two.taskId)).toEqual([[{ text: 'other' }]]);
  });

  test('B03 a thousand fragments cost no rewriting: each call writes only its own', async () => {
    const journal = await openJournal();
    const { taskId } = await startRun(journal);
    const time = async (from: number): Promise<number> => {
      const begin = performance.now();
      for (let n = from; n < from + 200; n++) await journal.appendDeltas([delta(taskId, n, 'token ')]);
      return performance.now() - begin;
    };
    await time(1);
    const early = await time(201);
    for (let n = 401; n <= 5_000; n += 100) {
      await journal.appendDeltas(Array.from({ length: 100 }, (_, i) => delta(taskId, n + i, 'token ')));
    }
    const late = await time(5_101);
    expect(late).toBeLessThan(early * 4 + 50);
  });
});

describe('histories', () => {
  test('X08 A12 historyLength: absent all, 0 none, n the newest; what is stored stays', async () => {
    const journal = await openJournal({ now: testClock().now });
    const run = await startRun(journal, { message: userMessage('1') });
    for (const text of ['2', '3', '4', '5']) await run.append(status('TASK_STATE_WORKING', text));
    const texts = async (historyLength?: number): Promise<unknown> => {
      const options = historyLength === undefined ? {} : { historyLength };
      const { task } = (await journal.read(SCOPE, run.taskId, options))!;
      const page = await journal.list({ scope: SCOPE, pageSize: 1, includeArtifacts: true, ...options });
      expect(page.tasks).toEqual([task]);
      return task.history?.map(({ parts }) => (parts[0] as { text: string }).text);
    };
    expect(await texts(2)).toEqual(['4', '5']);
    expect(await texts(0)).toBeUndefined();
    expect(await texts(99)).toEqual(['1', '2', '3', '4', '5']);
    expect(await texts()).toEqual(['1', '2', '3', '4', '5']);
  });

  test('A02 a snapshot that readers share cannot be changed by one of them', async () => {
    const journal = await openJournal();
    const run = await startRun(journal);
    const stored = (await journal.read(SCOPE, run.taskId))!;
    expect(() => stored.task.history!.pop()).toThrow(TypeError);
    expect(await journal.read(SCOPE, run.taskId)).toBe(stored);
    await run.append(status('TASK_STATE_WORKING'));
    expect((await journal.read(SCOPE, run.taskId))!.task.status.state).toBe('TASK_STATE_WORKING');
    expect(stored.task.status.state).toBe('TASK_STATE_SUBMITTED');
  });
});

import { describe, expect, test } from 'vitest';
import type { Metadata, Part } from '../../core/task.js';
import { BLOB_THRESHOLD } from '../../journal/index.js';
import {
  allEvents,
  artifact,
  followUp,
  journalFile,
  newTask,
  openJournal,
  Run,
  SCOPE,
  startRun,
  status,
  userMessage,
} from './support.js';

const BIG = 'x'.repeat(BLOB_THRESHOLD + 1);

describe('big content', () => {
  test('C12 a 5 MB file goes in and comes out whole, from every read', async () => {
    const journal = await openJournal();
    const raw = Buffer.alloc(5_000_000, 'content ').toString('base64');
    const file: Part = { raw, filename: 'a.bin', mediaType: 'application/octet-stream', metadata: { n: 1 } };
    const run = await startRun(journal, { message: userMessage('', { parts: [file] }) });
    await run.append(artifact('art.1', [file]), {
      kind: 'status',
      state: 'TASK_STATE_COMPLETED',
      message: { parts: [file] },
    });
    const { task } = (await journal.read(SCOPE, run.taskId))!;
    expect(task.history!.map(({ parts }) => parts)).toEqual([[file], [file]]);
    expect(task.status.message!.parts).toEqual([file]);
    expect(task.artifacts![0]!.parts).toEqual([file]);
    expect((await journal.readArtifact(SCOPE, run.taskId, 'art.1'))!.parts).toEqual([file]);
    const page = await journal.list({ scope: SCOPE, pageSize: 1, includeArtifacts: true });
    expect(page.tasks).toEqual([task]);
    const later = await startRun(journal, { contextId: task.contextId });
    const said = await journal.readContext(SCOPE, task.contextId, later);
    expect(said.map(({ parts }) => parts)).toEqual([[file], [file], [file]]);
    const events = await allEvents(journal, run.taskId);
    expect(events[0]!.event).toMatchObject({ task: { history: [{ parts: [file] }] } });
    expect(events[2]!.event).toMatchObject({ artifactUpdate: { artifact: { parts: [file] } } });
  });

  test('C12 text, raw and data over 64 KiB become blobs on their way to Temporal, other parts do not', async () => {
    const journal = await openJournal();
    const small = 'y'.repeat(BLOB_THRESHOLD);
    const parts: Part[] = [
      { text: BIG },
      { raw: BIG + 'xxx', mediaType: 'image/png' },
      { data: { content: BIG } },
      { data: [BIG] },
      { text: small },
      { text: 'ä'.repeat(BLOB_THRESHOLD / 2 + 1) },
      { data: null },
      { url: 'https://example.com' },
    ];
    const { commands, taskId } = await journal.accept(newTask({ message: userMessage('', { parts }) }));
    const [command] = commands;
    const sent = command!.kind === 'start' ? command!.start.message.parts : [];
    expect(sent.map((part) => ('blob' in part ? [part.blob.field, part.blob.size] : part))).toEqual([
      ['text', BIG.length],
      ['raw', BIG.length + 3],
      ['data', JSON.stringify({ content: BIG }).length],
      ['data', JSON.stringify([BIG]).length],
      { text: small },
      ['text', BLOB_THRESHOLD + 2],
      { data: null },
      { url: 'https://example.com' },
    ]);
    expect(sent[1]).toMatchObject({ mediaType: 'image/png' });
    expect((await journal.pendingCommands(new Date(Date.now() + 1_000), 1))[0]).toEqual(command);
    expect((await journal.readAny(taskId))!.task.history![0]!.parts).toEqual(parts);
    const more = await journal.acceptFollowUp(followUp(taskId, { message: userMessage(BIG) }));
    expect(more.commands).toMatchObject([
      { delivery: { message: { parts: [{ blob: { field: 'text' } }] } } },
    ]);
  });

  test('C11 data that looks like a blob, or is named like one, is data', async () => {
    const journal = await openJournal();
    const blob = { id: 'x', field: 'text', size: 1 };
    const data = { parts: [{ blob }, { text: BIG.slice(0, 1_000) }], blob, ['__proto__']: { parts: [] } };
    const parts: Part[] = [{ data: JSON.parse(JSON.stringify(data)), metadata: { parts: [{ blob }] } }];
    const metadata: Metadata = { blob, parts: [{ blob }, { text: BIG }] };
    const { taskId, commands } = await journal.accept(
      newTask({ message: userMessage('', { parts, metadata }) }),
    );
    const [read] = (await journal.readAny(taskId))!.task.history!;
    const started = commands[0]!.kind === 'start' ? commands[0]!.start.message : undefined;
    for (const message of [read, started]) {
      expect(message!.parts).toEqual(parts);
      expect(message!.metadata).toMatchObject(metadata);
    }
  });

  test('C12 a workflow may hand a reference on, also one from another task', async () => {
    const journal = await openJournal();
    const first = await journal.accept(newTask({ message: userMessage(BIG) }));
    const parts = first.commands[0]!.kind === 'start' ? first.commands[0]!.start.message.parts : [];
    const second = await startRun(journal);
    for (const run of [new Run(journal, first.taskId), second]) {
      await run.append(artifact('art.1', parts));
      expect((await journal.readArtifact(SCOPE, run.taskId, 'art.1'))!.parts).toEqual([{ text: BIG }]);
    }
  });

  test('B03 fragments and whole texts over 64 KiB stream, close and read whole', async () => {
    const journal = await openJournal();
    const run = await startRun(journal);
    await run.append(status('TASK_STATE_WORKING'));
    const delta = (n: number, text: string) => ({
      taskId: run.taskId,
      key: `s:1:${n}`,
      artifactId: 'a',
      append: n > 1,
      text,
    });
    await journal.appendDeltas([delta(1, 'begin '), delta(2, BIG), delta(3, ' end')]);
    const parts = [{ text: `begin ${BIG} end` }];
    expect((await journal.readAny(run.taskId))!.task.artifacts![0]!.parts).toEqual(parts);
    await run.append({ kind: 'close', artifactId: 'a' }, status('TASK_STATE_COMPLETED'));
    expect((await journal.readAny(run.taskId))!.task.artifacts![0]!.parts).toEqual(parts);
    expect((await allEvents(journal, run.taskId)).at(-2)!.event).toMatchObject({
      artifactUpdate: { artifact: { parts } },
    });
  });

  test('F03 the same big entry again is the same entry', async () => {
    const journal = await openJournal();
    const run = await startRun(journal);
    const input = run.next([artifact('art.1', [{ text: BIG }])]);
    const first = await journal.append(input);
    expect(await journal.append(input)).toEqual(first);
  });

  test('A11 a transcript keeps order, replaces a position, and gives big parts back', async () => {
    const journal = await openJournal();
    const { taskId } = await startRun(journal);
    const turn = { role: 'user', parts: [{ text: BIG }], nested: [{ parts: [{ data: [BIG] }] }] };
    await journal.putTranscript(taskId, 'g1', 1, ['second']);
    await journal.putTranscript(taskId, 'g1', 0, { draft: true });
    await journal.putTranscript(taskId, 'g1', 0, turn);
    await journal.putTranscript(taskId, 'g1', 2, null);
    await journal.putTranscript(taskId, 'g2', 0, 'other');
    expect(await journal.readTranscript(taskId, 'g1')).toEqual([turn, ['second'], null]);
    expect(await journal.readTranscript(taskId, 'none')).toEqual([]);
  });

  test('F03 a journal that is opened again has everything', async () => {
    const file = journalFile();
    const first = await openJournal({}, file);
    const run = await startRun(first, { message: userMessage(BIG) });
    await run.append(status('TASK_STATE_WORKING'), artifact('art.1', [{ text: 'x' }]));
    const before = [await first.readAny(run.taskId), await allEvents(first, run.taskId)];
    await first.close();
    const second = await openJournal({}, file);
    expect([await second.readAny(run.taskId), await allEvents(second, run.taskId)]).toEqual(before);
    await expect(first.append(run.next([status('TASK_STATE_COMPLETED')]))).rejects.toThrow('closed');
  });
});

import { describe, expect, test } from 'vitest';
import type { Run } from './support.js';
import {
  artifact,
  followUp,
  newTask,
  openJournal,
  SCOPE,
  startRun,
  status,
  testClock,
  userMessage,
} from './support.js';

const DAY = 86_400_000;

describe('contexts', () => {
  test('A11 a new task sees the conversation: messages and final artifacts in order, no thinking', async () => {
    const clock = testClock();
    const journal = await openJournal({ now: clock.now });
    const start = (text: string, more: object = {}): Promise<Run> => {
      clock.advance(1);
      return startRun(journal, { contextId: 'C', message: userMessage(text), ...more });
    };
    const first = await start('book a hotel');
    await first.append(status('TASK_STATE_WORKING', 'looking'));
    await first.append({
      kind: 'artifact',
      artifact: { artifactId: 'art.t', parts: [{ text: 'hm' }], metadata: { type: 'intermediate-thinking' } },
      append: false,
      lastChunk: true,
    });
    await first.append(artifact('art.1', [{ text: 'two hotels' }]));
    await first.append(status('TASK_STATE_INPUT_REQUIRED', 'which?'));
    clock.advance(1);
    await journal.acceptFollowUp(followUp(first.taskId, { message: userMessage('the Ritz') }));
    await first.append(
      status('TASK_STATE_WORKING'),
      artifact('art.2', [{ text: 'booked' }]),
      status('TASK_STATE_COMPLETED'),
    );
    const direct = await start('what is 6*7?', { visible: false });
    await direct.append({ kind: 'message', message: { parts: [{ text: '42' }] } });
    await start('elsewhere', { agent: 'other' });
    await startRun(journal, { contextId: 'other' });
    await startRun(journal, { contextId: 'C', caller: { tenant: '', owner: 'bob' } });
    await journal.appendDeltas([
      { taskId: direct.taskId, key: 's:1:1', artifactId: 'x', append: false, text: 'late' },
    ]);
    const last = await start('and now?');
    const later = await start('later');
    const said = await journal.readContext(SCOPE, 'C', last);
    expect(said.map(({ role, parts }) => [role, (parts[0] as { text: string }).text])).toEqual([
      ['ROLE_USER', 'book a hotel'],
      ['ROLE_AGENT', 'looking'],
      ['ROLE_AGENT', 'two hotels'],
      ['ROLE_AGENT', 'which?'],
      ['ROLE_USER', 'the Ritz'],
      ['ROLE_AGENT', 'booked'],
      ['ROLE_USER', 'what is 6*7?'],
      ['ROLE_AGENT', '42'],
    ]);
    for (const message of said) {
      expect(message.contextId).toBe('C');
      expect(message.metadata?.$timestamp).toMatch(/Z$/);
    }
    expect(await journal.readContext(SCOPE, 'C', first)).toEqual([]);
    expect(await journal.readContext(SCOPE, 'C', later)).toHaveLength(9);
    expect(await journal.readContext(SCOPE, 'C', { taskId: 'none' })).toEqual([]);
    expect(await journal.readContext({ ...SCOPE, owner: 'bob' }, 'C', last)).toEqual([]);
  });

  test('A11 a task that waited for its turn sees what was said meanwhile', async () => {
    const journal = await openJournal();
    const first = await startRun(journal, { contextId: 'C' });
    const second = await startRun(journal, { contextId: 'C' });
    await first.append(artifact('art.1', [{ text: 'done' }]), status('TASK_STATE_COMPLETED'));
    expect((await journal.readContext(SCOPE, 'C', second)).map(({ messageId }) => messageId)).toContain(
      'art.1',
    );
  });

  test('A11 an expired context is an error that names the field; an open task keeps it', async () => {
    const clock = testClock();
    const journal = await openJournal({ now: clock.now, contextExpiry: 30 * DAY });
    const run = await startRun(journal, { contextId: 'C' });
    await run.append(status('TASK_STATE_INPUT_REQUIRED', 'which?'));
    clock.advance(40 * DAY);
    const second = await startRun(journal, { contextId: 'C' });
    await second.append(status('TASK_STATE_COMPLETED'));
    await run.append(status('TASK_STATE_CANCELED'));
    clock.advance(30 * DAY);
    await (await startRun(journal, { contextId: 'C' })).append(status('TASK_STATE_COMPLETED'));
    clock.advance(30 * DAY + 1);
    const refused = journal.accept(newTask({ contextId: 'C' }));
    await expect(refused).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
      violations: [{ field: 'message.contextId' }],
    });
    await journal.accept(newTask({ contextId: 'C', caller: { tenant: '', owner: 'bob' } }));
    expect((await journal.list({ scope: SCOPE, pageSize: 10, includeArtifacts: false })).totalSize).toBe(3);
  });
});

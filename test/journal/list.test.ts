import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import type { A2AError } from '../../core/errors.js';
import type { TaskQuery } from '../../core/journal.js';
import type { TaskState } from '../../core/task.js';
import type { SqlJournal } from '../../journal/index.js';
import type { Run } from './support.js';
import {
  artifact,
  journalFile,
  newTask,
  openJournal,
  SCOPE,
  startRun,
  status,
  testClock,
  userMessage,
} from './support.js';

function query(more: Partial<TaskQuery> = {}): TaskQuery {
  return { scope: SCOPE, pageSize: 10, includeArtifacts: false, ...more };
}

/** The ids of all pages, with the total that each page told. */
async function pages(
  journal: SqlJournal,
  first: TaskQuery,
  between: () => Promise<unknown> = () => Promise.resolve(),
) {
  const ids: string[][] = [];
  const totals: number[] = [];
  let pageToken: string | undefined;
  do {
    const page = await journal.list({ ...first, ...(pageToken !== undefined && { pageToken }) });
    ids.push(page.tasks.map(({ id }) => id));
    totals.push(page.totalSize);
    pageToken = page.nextPageToken;
    await between();
  } while (pageToken !== '');
  return { ids, totals };
}

async function code(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => {
      const { code: refused, violations } = error as A2AError;
      return [refused, violations[0]?.field];
    },
  );
}

describe('ListTasks', () => {
  test('C03 X25 an empty list, one page, and the last page have an empty token', async () => {
    const journal = await openJournal();
    expect(await journal.list(query())).toEqual({ tasks: [], nextPageToken: '', totalSize: 0 });
    await startRun(journal);
    expect(await journal.list(query({ pageSize: 1 }))).toMatchObject({ nextPageToken: '', totalSize: 1 });
  });

  test('C03 newest status first, each task once, whatever the page size', async () => {
    const clock = testClock();
    const journal = await openJournal({ now: clock.now });
    const runs: Run[] = [];
    for (let i = 0; i < 25; i++) {
      // Several tasks share a millisecond.
      if (i % 3 === 0) clock.advance(1);
      runs.push(await startRun(journal));
    }
    clock.advance(1);
    await runs[4]!.append(status('TASK_STATE_WORKING'));
    const all = (await journal.list(query({ pageSize: 100 }))).tasks;
    expect(all[0]!.id).toBe(runs[4]!.taskId);
    const keys = all.map(({ id, status: { timestamp } }) => `${timestamp} ${id}`);
    expect(keys).toEqual([...keys].sort().reverse());
    for (const pageSize of [1, 4, 5, 24, 25, 26]) {
      const { ids, totals } = await pages(journal, query({ pageSize }));
      expect(ids.flat()).toEqual(all.map(({ id }) => id));
      expect(new Set(totals)).toEqual(new Set([25]));
    }
  });

  test('C03 paging survives changes: what does not change is seen exactly once', async () => {
    const clock = testClock();
    const journal = await openJournal({ now: clock.now });
    const still: string[] = [];
    const busy: Run[] = [];
    for (let i = 0; i < 40; i++) {
      clock.advance(1);
      const run = await startRun(journal);
      if (i % 2 === 0) still.push(run.taskId);
      else busy.push(run);
    }
    let changes = 0;
    const { ids } = await pages(journal, query({ pageSize: 5 }), async () => {
      clock.advance(1);
      await busy[changes % busy.length]!.append(status('TASK_STATE_WORKING', `${changes}`));
      await busy[(changes + 7) % busy.length]!.append(status('TASK_STATE_WORKING', `${changes}`));
      await startRun(journal);
      changes += 1;
    });
    const seen = ids.flat();
    expect(seen.filter((id) => still.includes(id))).toEqual([...still].reverse());
    expect(new Set(seen).size).toBe(seen.length);
  });

  test('C03 filters by context, state and time, alone and together, with exact totals', async () => {
    const clock = testClock();
    const journal = await openJournal({ now: clock.now });
    const tasks: { id: string; contextId: string; state: TaskState; time: string }[] = [];
    const states: TaskState[] = [
      'TASK_STATE_WORKING',
      'TASK_STATE_COMPLETED',
      'TASK_STATE_FAILED',
      'TASK_STATE_SUBMITTED',
    ];
    for (let i = 0; i < 36; i++) {
      clock.advance(10);
      const contextId = `ctx.${i % 3}`;
      const run = await startRun(journal, { contextId, caller: { tenant: '', owner: 'anonymous' } });
      const state = states[i % 4]!;
      if (state !== 'TASK_STATE_SUBMITTED') {
        // Nothing else may hold the context's turn.
        const { outcome } = await run.append(status(state));
        if (outcome === 'turn') await journal.closeTask(run.taskId, 'TASK_STATE_FAILED');
      }
      const { task } = (await journal.read(SCOPE, run.taskId))!;
      tasks.push({ id: task.id, contextId, state: task.status.state, time: task.status.timestamp });
    }
    const middle = tasks[17]!.time;
    for (const contextId of [undefined, 'ctx.0', 'ctx.2', 'none']) {
      for (const state of [undefined, ...states, 'TASK_STATE_REJECTED' as const]) {
        for (const after of [undefined, middle, '2026-03-01T13:00:00.1+01:00', '2030-01-01T00:00:00Z']) {
          const wanted = tasks
            .filter((task) => contextId === undefined || task.contextId === contextId)
            .filter((task) => state === undefined || task.state === state)
            .filter((task) => after === undefined || Date.parse(task.time) >= Date.parse(after));
          const { ids, totals } = await pages(
            journal,
            query({
              pageSize: 7,
              ...(contextId !== undefined && { contextId }),
              ...(state !== undefined && { status: state }),
              ...(after !== undefined && { statusTimestampAfter: after }),
            }),
          );
          expect(ids.flat()).toEqual(wanted.map(({ id }) => id).reverse());
          expect(new Set(totals)).toEqual(new Set([wanted.length]));
        }
      }
    }
  });

  test('C03 only this tenant, owner and agent', async () => {
    const journal = await openJournal();
    const { taskId } = await startRun(journal);
    await journal.accept(newTask({ caller: { tenant: 't', owner: 'anonymous' } }));
    await journal.accept(newTask({ caller: { tenant: '', owner: 'bob' } }));
    await journal.accept(newTask({ agent: 'other' }));
    const { tasks, totalSize } = await journal.list(query());
    expect([tasks.map(({ id }) => id), totalSize]).toEqual([[taskId], 1]);
  });

  test('C03 a token is good for its own list only', async () => {
    const journal = await openJournal();
    for (let i = 0; i < 3; i++) await startRun(journal, { contextId: `ctx.${i}` });
    const { nextPageToken: token } = await journal.list(query({ pageSize: 1 }));
    const refused = ['INVALID_PARAMS', 'pageToken'];
    const changed = token.slice(0, -2) + (token.endsWith('AA') ? 'BB' : 'AA');
    const forged = Buffer.from(JSON.stringify(['2030-01-01T00:00:00.000Z', 'task.x', ''])).toString(
      'base64url',
    );
    for (const pageToken of ['', 'x', changed, forged, `${token}x`, 'bnVsbA', 'W10']) {
      expect(await code(journal.list(query({ pageToken })))).toEqual(refused);
    }
    const others: Partial<TaskQuery>[] = [
      { contextId: 'ctx.1' },
      { status: 'TASK_STATE_SUBMITTED' },
      { statusTimestampAfter: '2020-01-01T00:00:00Z' },
      { scope: { ...SCOPE, owner: 'bob' } },
    ];
    for (const other of others)
      expect(await code(journal.list(query({ ...other, pageToken: token })))).toEqual(refused);
    expect(
      (await journal.list(query({ pageToken: token, pageSize: 2, includeArtifacts: true }))).tasks,
    ).toHaveLength(2);
    expect(await code(journal.list(query({ statusTimestampAfter: 'x' })))).toEqual([
      'INVALID_PARAMS',
      'statusTimestampAfter',
    ]);
  });

  test('C03 X25 artifacts only on request', async () => {
    const journal = await openJournal();
    const run = await startRun(journal);
    await run.append(artifact('art.1', [{ text: 'x' }]), status('TASK_STATE_COMPLETED'));
    // Once from the tables and once from the snapshot that a read has left.
    for (let i = 0; i < 2; i++) {
      expect((await journal.list(query())).tasks[0]).not.toHaveProperty('artifacts');
      const [task] = (await journal.list(query({ includeArtifacts: true }))).tasks;
      expect(task).toEqual((await journal.read(SCOPE, run.taskId))!.task);
      expect(task!.artifacts).toEqual([{ artifactId: 'art.1', parts: [{ text: 'x' }] }]);
    }
  });

  test('X07 a task is listed the moment its send returned, in the state that a read gives', async () => {
    const journal = await openJournal();
    for (let i = 0; i < 100; i++) {
      const contextId = `ctx.${i}`;
      const run = await startRun(journal, { contextId });
      const check = async (): Promise<void> => {
        const { task } = (await journal.read(SCOPE, run.taskId))!;
        const byContext = await journal.list(query({ contextId }));
        expect([byContext.tasks.map(({ id }) => id), byContext.totalSize]).toEqual([[task.id], 1]);
        const byState = await journal.list(query({ status: task.status.state, pageSize: 1 }));
        expect(byState.tasks[0]!.id).toBe(task.id);
      };
      await check();
      await run.append(status(i % 2 === 0 ? 'TASK_STATE_COMPLETED' : 'TASK_STATE_WORKING'));
      await check();
    }
    for (const [state, n] of [
      [undefined, 100],
      ['TASK_STATE_COMPLETED', 50],
      ['TASK_STATE_WORKING', 50],
      ['TASK_STATE_SUBMITTED', 0],
    ] as const) {
      expect((await journal.list(query(state && { status: state }))).totalSize).toBe(n);
    }
  });

  test('C03 every way to page follows an index, in order, with no sort and no scan', async () => {
    const file = journalFile();
    await openJournal({}, file);
    const db = new Database(file);
    const plan = (filter: string): string => {
      const sql = `explain query plan select * from tasks
        where tenant = ? and owner = ? and agent = ? and visible = 1 ${filter} and (status_time, task_id) < (?, ?)
        order by status_time desc, task_id desc limit 51`;
      const steps = db.prepare(sql).all(...sql.split('?').slice(1)) as { detail: string }[];
      return steps.map(({ detail }) => detail).join('; ');
    };
    const plans = [
      '',
      'and state = ?',
      'and context_id = ?',
      'and context_id = ? and state = ?',
      'and status_time > ?',
    ];
    const names = plans.map((filter) => /USING (?:COVERING )?INDEX (\w+)/.exec(plan(filter))?.[1]);
    expect(names).toEqual([
      'tasks_by_scope',
      'tasks_by_state',
      'tasks_by_context',
      'tasks_by_context_and_state',
      'tasks_by_scope',
    ]);
    for (const filter of plans) expect(plan(filter)).not.toMatch(/SCAN|TEMP B-TREE/);
    db.close();
  });

  test('C03 counters stay exact through hidden rows, cancels, faults and retries', async () => {
    const journal = await openJournal();
    const runs = await Promise.all(
      Array.from({ length: 60 }, (_, i) => startRun(journal, { visible: i % 3 > 0 })),
    );
    await Promise.allSettled(
      runs.flatMap((run, i) => [
        run.append({ kind: 'message', message: { parts: [{ text: `${i}` }] } }),
        journal.reveal(run.taskId),
        i % 4 === 0
          ? journal.closeTask(run.taskId, 'TASK_STATE_CANCELED')
          : run.append(status('TASK_STATE_SUBMITTED')),
        journal.accept(newTask({ taskId: run.taskId, message: userMessage() })),
      ]),
    );
    const all = await Promise.all(runs.map((run) => journal.read(SCOPE, run.taskId)));
    for (const state of [
      undefined,
      'TASK_STATE_COMPLETED',
      'TASK_STATE_CANCELED',
      'TASK_STATE_SUBMITTED',
    ] as const) {
      const exact = all.filter(
        (task) => task !== undefined && (state === undefined || task.task.status.state === state),
      ).length;
      expect((await journal.list(query(state && { status: state }))).totalSize).toBe(exact);
    }
    expect(all.filter(Boolean).length).toBeGreaterThan(30);
  });
});

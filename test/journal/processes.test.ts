import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fold } from '../../core/fold.js';
import type { StoredEvent } from '../../core/journal.js';
import type { Task } from '../../core/task.js';
import { Hub } from '../../journal/index.js';
import { allEvents, journalFile, openJournal, Run, SCOPE, startRun, status, words } from './support.js';

const SCRIPT = fileURLToPath(new URL('other-process.ts', import.meta.url));

interface Line {
  taskId: string;
  seq?: number;
  fragments?: number;
  outcome?: string;
  duplicate?: boolean;
}

interface Other {
  child: ChildProcess;
  lines: Line[];
  go(): void;
  ended: Promise<unknown>;
}

/** Starts another process, which waits for `go`. */
async function otherProcess(file: string, ...args: string[]): Promise<Other> {
  const child = spawn(process.execPath, ['--import', 'tsx', SCRIPT, file, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'close');
  const lines: Line[] = [];
  const ready = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (text) => {
      const line = JSON.parse(text) as Line | 'ready';
      if (line === 'ready') resolve();
      else lines.push(line);
    });
  });
  await ready;
  return { child, lines, go: () => child.stdin.write('go\n'), ended };
}

function range(to: number): number[] {
  return Array.from({ length: to }, (_, i) => i + 1);
}

describe('several processes on one file', () => {
  test('F03 B08 they write the same tasks at once: gapless, all there, and readers here wake for all of it', async () => {
    const file = journalFile();
    const journal = await openJournal({}, file);
    const runs = await Promise.all(Array.from({ length: 4 }, () => startRun(journal)));
    const ids = runs.map(({ taskId }) => taskId);
    const others = await Promise.all(
      ['one', 'two'].map((name) => otherProcess(file, 'progress', '40', name, ...ids)),
    );
    const hub = new Hub(journal);
    const reading = ids.map(async (taskId) => {
      const events: StoredEvent[] = [];
      for await (const batch of hub.subscribe(taskId, 0)) {
        events.push(...batch);
        if (events.length >= 1 + 3 * 40) break;
      }
      return events;
    });
    for (const other of others) other.go();
    await Promise.all(
      runs.map(async (run) => {
        for (let i = 0; i < 40; i++) await run.append(status('TASK_STATE_WORKING', `here ${i}`));
      }),
    );
    await Promise.all(others.map(({ ended }) => ended));
    for (const [at, events] of (await Promise.all(reading)).entries()) {
      expect(events.map(({ seq }) => seq)).toEqual(range(121));
      expect(events).toEqual(await allEvents(journal, ids[at]!));
      expect((await journal.readAny(ids[at]!))!.task.history).toHaveLength(121);
    }
    for (const { lines } of others)
      expect(lines.filter(({ outcome }) => outcome === 'recorded')).toHaveLength(160);
    expect(hub.counts).toEqual({ tasks: 0, readers: 0 });
  });

  test('A20 X37 one key from several processes that open a new file at once is one task', async () => {
    const file = journalFile();
    const others = await Promise.all(['one', 'two', 'three'].map((name) => otherProcess(file, 'send', name)));
    for (const other of others) other.go();
    await Promise.all(others.map(({ ended }) => ended));
    const lines = others.flatMap((other) => other.lines);
    expect(lines).toHaveLength(150);
    expect(lines.filter(({ duplicate }) => duplicate === false)).toHaveLength(50);
    expect(new Set(lines.map(({ taskId }) => taskId)).size).toBe(50);
    const journal = await openJournal({}, file);
    const { totalSize } = await journal.list({
      scope: SCOPE,
      contextId: 'C',
      pageSize: 1,
      includeArtifacts: false,
    });
    expect(totalSize).toBe(50);
    const starts = await journal.pendingCommands(new Date(Date.now() + 1_000), 100);
    expect(starts.filter((command) => command.kind === 'start' && command.start.turn)).toHaveLength(1);
  });

  test('F03 kill -9 in mid-write loses nothing that was acknowledged, and the file goes on', async () => {
    const file = journalFile();
    const seen = new Map<string, { seq: number; fragments: number }>();
    for (let round = 0; round < 4; round++) {
      const other = await otherProcess(file, 'run', `round${round}`);
      other.go();
      await expect.poll(() => other.lines.length, { timeout: 20_000, interval: 5 }).toBeGreaterThan(100);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 200));
      other.child.kill('SIGKILL');
      await other.ended;
      for (const { taskId, seq = 0, fragments = 0 } of other.lines) {
        const task = seen.get(taskId) ?? { seq: 0, fragments: 0 };
        seen.set(taskId, { seq: Math.max(task.seq, seq), fragments: Math.max(task.fragments, fragments) });
      }
    }
    const journal = await openJournal({}, file);
    const states = new Map<string, number>();
    for (const [taskId, { seq, fragments }] of seen) {
      const stored = await allEvents(journal, taskId);
      const read = (await journal.read(SCOPE, taskId))!;
      expect(read.lastSeq).toBeGreaterThanOrEqual(seq);
      expect(stored.map((event) => event.seq)).toEqual(range(read.lastSeq));
      expect(stored.map(({ event }) => event).reduce(fold, {} as Task)).toEqual(read.task);
      const kinds = words(stored);
      expect(kinds.filter((kind) => kind.endsWith('artifact')).length).toBeGreaterThanOrEqual(fragments);
      const { state } = read.task.status;
      states.set(state, (states.get(state) ?? 0) + 1);
      if (state !== 'TASK_STATE_COMPLETED') {
        const end = await new Run(journal, taskId).append(status('TASK_STATE_COMPLETED'));
        expect(end.outcome).toBe('recorded');
      }
    }
    expect(states.get('TASK_STATE_COMPLETED')).toBeGreaterThan(4);
    const { totalSize } = await journal.list({ scope: SCOPE, pageSize: 1, includeArtifacts: false });
    // What was in flight when the process died may be there too.
    expect(totalSize).toBeGreaterThanOrEqual(seen.size);
    expect(totalSize).toBeLessThanOrEqual(seen.size + 4 * 4);
  });
});

/**
 * A process of its own on a journal file, for the tests: `other-process.ts FILE JOB ...`. It says `ready`,
 * begins when it is told `go`, and writes one JSON line for each thing that the journal has acknowledged.
 */
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import type { Entry, NewTask } from '../../core/journal.js';
import { openSqliteJournal } from '../../journal/index.js';

const [file, job, ...args] = process.argv.slice(2) as [string, string, ...string[]];

/** At once, so that what was said is out when the process is killed. */
function say(line: unknown): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

function task(taskId: string, more: Partial<NewTask> = {}): NewTask {
  return {
    taskId,
    contextId: `ctx.${taskId}`,
    caller: { tenant: '', owner: 'anonymous' },
    agent: 'hello',
    message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] },
    options: {},
    visible: true,
    ...more,
  };
}

say('ready');
await once(process.stdin, 'data');
const journal = await openSqliteJournal({ file });

async function append(taskId: string, prevKey: string, ...entries: Entry[]): Promise<string> {
  const result = await journal.append({ taskId, prevKey, entries });
  say({ taskId, seq: result.lastSeq, outcome: result.outcome });
  return result.lastKey;
}

/** Shows progress on tasks that are there: `n` times on each. */
async function progress(n: number, name: string, taskIds: string[]): Promise<void> {
  await Promise.all(
    taskIds.map(async (taskId) => {
      let key = name;
      for (let i = 0; i < n; i++) {
        const message = { parts: [{ text: `${name} ${i}` }] };
        key = await append(taskId, key, { kind: 'status', state: 'TASK_STATE_WORKING', message });
      }
    }),
  );
}

/** Whole tasks, several at a time, for ever. */
async function run(name: string): Promise<never> {
  const lane = async (number: number): Promise<never> => {
    for (let i = 0; ; i++) {
      const taskId = `task.${name}.${number}.${i}`;
      await journal.accept(task(taskId));
      say({ taskId, seq: 1 });
      const key = await append(taskId, '', { kind: 'status', state: 'TASK_STATE_WORKING' });
      for (let n = 0; n < 10; n++) {
        const written = await journal.appendDeltas([
          { taskId, key: `s:1:${n}`, artifactId: 'art.1', append: n > 0, text: `${n} ` },
        ]);
        if (written) say({ taskId, fragments: n + 1 });
      }
      await append(
        taskId,
        key,
        { kind: 'close', artifactId: 'art.1' },
        { kind: 'status', state: 'TASK_STATE_COMPLETED' },
      );
    }
  };
  return Promise.race([0, 1, 2, 3].map(lane));
}

switch (job) {
  case 'progress':
    await progress(Number(args[0]), args[1]!, args.slice(2));
    break;
  case 'send':
    for (let i = 0; i < 50; i++) {
      const { taskId, duplicate } = await journal.accept(
        task(`task.${args[0]!}.${i}`, { idempotencyKey: `k${i}`, contextId: 'C' }),
      );
      say({ taskId, duplicate });
    }
    break;
  case 'run':
    await run(args[0]!);
}
await journal.close();
process.exit(0);

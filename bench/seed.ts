import { randomUUID } from 'node:crypto';
import { serve } from './serve.js';
import { openSqliteJournal } from '../journal/index.js';
import { prefixedId } from '../core/ids.js';
import { ANONYMOUS } from '../core/caller.js';
import type { Journal } from '../core/journal.js';

/** At once: the journal joins them into one transaction. */
const WIDTH = 200;

/** Fills a journal with completed tasks, ten to a context, as if they had all been sent and done. */
async function seed({
  file,
  tasks,
  agent,
}: {
  file: string;
  tasks: number;
  agent: string;
}): Promise<{ contextId: string }> {
  const journal = await openSqliteJournal({ file });
  const contexts = Array.from({ length: Math.ceil(tasks / 10) }, () => id('ctx'));
  for (let done = 0; done < tasks; done += WIDTH) {
    const batch = Array.from({ length: Math.min(WIDTH, tasks - done) }, (_, index) => done + index);
    await Promise.all(
      batch.map((index) => completed(journal, agent, contexts[index % contexts.length] ?? '')),
    );
  }
  await journal.close();
  return { contextId: contexts[0] ?? '' };
}

async function completed(journal: Journal, agent: string, contextId: string): Promise<void> {
  const taskId = id('task');
  const { commands } = await journal.accept({
    taskId,
    contextId,
    caller: ANONYMOUS,
    agent,
    message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'hello' }] },
    options: {},
    visible: true,
  });
  await journal.append({
    taskId,
    prevKey: '',
    entries: [
      {
        kind: 'artifact',
        artifact: { artifactId: id('art'), parts: [{ text: 'done' }] },
        append: false,
        lastChunk: true,
      },
      { kind: 'status', state: 'TASK_STATE_COMPLETED' },
    ],
  });
  for (const command of commands) await journal.commandDone(command.id);
}

function id(prefix: Parameters<typeof prefixedId>[0]): string {
  return prefixedId(prefix, Date.now(), randomUUID());
}

serve({ seed });

import { ApplicationFailure } from '@temporalio/common';
import type { Scope } from '../core/caller.js';
import { A2AError, taskNotFound } from '../core/errors.js';
import type { Command, Journal } from '../core/journal.js';
import type { TaskActivities } from './types.js';

type JournalActivities = Omit<TaskActivities, 'generate'>;

/** The task workflow's access to the journal. `deliver` hands commands to Temporal in the background. */
export function createJournalActivities(
  journal: Journal,
  deliver: (commands: Command[]) => void,
): JournalActivities {
  return {
    publish: (append) =>
      classified(async () => {
        const result = await journal.append(append);
        if (result.commands.length > 0) deliver(result.commands);
        return { ...result, commands: [] };
      }),
    restore: (start) => classified(() => journal.restore(start)),
    readTasks: (taskId, ids) =>
      classified(async () => {
        const { scope } = await origin(journal, taskId);
        const tasks = await Promise.all(ids.map((id) => journal.read(scope, id)));
        return tasks.flatMap((stored) => (stored ? [stored.task] : []));
      }),
    readConversation: (taskId) =>
      classified(async () => {
        const { scope, contextId } = await origin(journal, taskId);
        return journal.readContext(scope, contextId, { taskId });
      }),
  };
}

async function origin(journal: Journal, taskId: string): Promise<{ scope: Scope; contextId: string }> {
  const stored = await journal.readAny(taskId, { historyLength: 0, artifacts: false });
  if (!stored) throw taskNotFound(taskId);
  return { scope: { ...stored.caller, agent: stored.agent }, contextId: stored.task.contextId };
}

/** What the caller did wrong no retry can mend; a fault of the store is tried again. */
async function classified<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof A2AError) {
      throw ApplicationFailure.create({
        message: error.message,
        type: error.code,
        nonRetryable: true,
        details: [{ safeMessage: error.message }],
      });
    }
    throw error;
  }
}

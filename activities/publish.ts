import { ApplicationFailure } from '@temporalio/common';
import type { Scope } from '../core/caller.js';
import { A2AError, taskNotFound } from '../core/errors.js';
import type { Command, Journal } from '../core/journal.js';
import type { Message } from '../core/task.js';
import type { TaskActivities } from './types.js';

/** What an activity's result may hold: Temporal refuses 2 MB, and every byte stays in the history. */
const RESULT_BYTES = 1024 * 1024;

type JournalActivities = Omit<TaskActivities, 'generate'>;

/**
 * The task workflow's access to the journal. `deliver` hands commands to Temporal, `wakePushes` webhooks to their
 * courier, both in the background.
 */
export function createJournalActivities(
  journal: Journal,
  deliver: (commands: Command[]) => void,
  wakePushes: (pushIds: string[]) => void = () => undefined,
): JournalActivities {
  return {
    publish: (append) =>
      classified(async () => {
        const { pushes, ...result } = await journal.append(append);
        if (result.commands.length > 0) deliver(result.commands);
        if (pushes !== undefined) wakePushes(pushes);
        return { ...result, commands: [] };
      }),
    restore: (start) => classified(() => journal.restore(start)),
    readMessage: (taskId, messageId) =>
      classified(async () => {
        return fitting('A message', await readMessage(journal, taskId, messageId));
      }),
    readTasks: (taskId, ids) =>
      classified(async () => {
        const { scope } = await origin(journal, taskId);
        const tasks = await Promise.all(ids.map((id) => journal.read(scope, id)));
        return fitting(
          'A list of tasks',
          tasks.flatMap((stored) => (stored ? [stored.task] : [])),
        );
      }),
    readConversation: (taskId) =>
      classified(async () => {
        const { scope, contextId } = await origin(journal, taskId);
        return fitting('A conversation', await journal.readContext(scope, contextId, { taskId }));
      }),
  };
}

/** A message of the task's history, with the content of its big parts. */
export async function readMessage(
  journal: Pick<Journal, 'readAny'>,
  taskId: string,
  messageId: string,
): Promise<Message> {
  const stored = await journal.readAny(taskId, { artifacts: false });
  const message = stored?.task.history?.find((candidate) => candidate.messageId === messageId);
  if (!message) throw taskNotFound(taskId);
  return message;
}

/** The model reads what is bigger, by its own way; an agent's code has activities for it. */
function fitting<T>(what: string, result: T): T {
  const bytes = Buffer.byteLength(JSON.stringify(result));
  if (bytes <= RESULT_BYTES) return result;
  throw new A2AError('PAYLOAD_TOO_LARGE', `${what} of ${bytes} bytes is too big for the agent to read`);
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

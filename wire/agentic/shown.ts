import type { Message, Part, Task, TaskState, TaskStatus } from '../../core/task.js';

/**
 * /v2/agentic knows six states: what is REJECTED or AUTH_REQUIRED appears there as FAILED, with a status
 * message that says which of the two it is and why (D05). The true state's name is in `metadata.$state` of the
 * message and of what carries the status.
 */

/** What the message says before the reason, where a state is not shown as it is. */
const SAID: Partial<Record<TaskState, string>> = {
  TASK_STATE_REJECTED: 'Rejected',
  TASK_STATE_AUTH_REQUIRED: 'Authorization required',
};

export function shownTask(task: Task): Task {
  const status = shownStatus(task.status, task);
  if (status === task.status) return task;
  const { message } = status;
  return {
    ...task,
    status,
    // One answer does not say one message in two ways.
    ...(task.history && {
      history: task.history.map((entry) =>
        message !== undefined && entry.messageId === message.messageId ? message : entry,
      ),
    }),
    metadata: { ...task.metadata, $state: task.status.state },
  };
}

/** The status itself where it is shown as it is. */
export function shownStatus(status: TaskStatus, task: { id: string; contextId: string }): TaskStatus {
  const said = SAID[status.state];
  if (said === undefined) return status;
  const message: Message = status.message ?? unsaid(status, task);
  return {
    ...status,
    state: 'TASK_STATE_FAILED',
    message: {
      ...message,
      parts: withReason(said, message.parts),
      metadata: { ...message.metadata, $state: status.state },
    },
  };
}

/** The true states that a filter by the shown one asks for. */
export function statesShownAs(shown: TaskState): readonly TaskState[] {
  if (SAID[shown] !== undefined) return [];
  return shown === 'TASK_STATE_FAILED' ? [shown, ...(Object.keys(SAID) as TaskState[])] : [shown];
}

function withReason(said: string, parts: readonly Part[]): Part[] {
  const [first, ...rest] = parts;
  if (first !== undefined && 'text' in first) return [{ ...first, text: `${said}: ${first.text}` }, ...rest];
  return [{ text: said }, ...parts];
}

/** The agent said nothing. The id is the task's own, so that it is the same on every read. */
function unsaid({ timestamp }: TaskStatus, { id, contextId }: { id: string; contextId: string }): Message {
  return {
    messageId: id.replace(/^task\./, 'msg.'),
    contextId,
    taskId: id,
    role: 'ROLE_AGENT',
    parts: [],
    metadata: { $timestamp: timestamp },
  };
}

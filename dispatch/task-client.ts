import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy, type Client } from '@temporalio/client';
import type { Command } from '../core/journal.js';
import {
  PUSH_SIGNAL,
  PUSH_WORKFLOW,
  TASK_SIGNALS,
  TASK_UPDATE,
  TASK_WORKFLOW,
  type TaskWorkflowInput,
} from '../core/task-workflow.js';

const RPC_WITHIN = 5_000;
/** An update waits for a worker; one that takes none in this time is tried again later. */
const UPDATE_WITHIN = 10_000;

/** Tells Temporal one command. Resolves when Temporal has it durably; throws the SDK's errors. */
export async function tellTemporal(client: Client, taskQueue: string, command: Command): Promise<void> {
  const { taskId } = command;
  const within = command.kind === 'message' ? UPDATE_WITHIN : RPC_WITHIN;
  await client.withDeadline(Date.now() + within, async () => {
    switch (command.kind) {
      case 'start':
        await client.workflow.start(TASK_WORKFLOW, {
          workflowId: taskId,
          taskQueue,
          args: [{ start: command.start } satisfies TaskWorkflowInput],
          // A task id is used once, ever: a start that comes again is a repetition.
          workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
          workflowIdConflictPolicy: WorkflowIdConflictPolicy.FAIL,
          // After a worker is killed its workflow task is given to another one in 3 s instead of 10.
          workflowTaskTimeout: '3s',
          // Runs on this process's worker at once where there is one; a hint, else as usual.
          requestEagerStart: true,
        });
        return;
      case 'message':
        await client.workflow.getHandle(taskId).executeUpdate(TASK_UPDATE, {
          args: [command.delivery],
          updateId: command.delivery.key,
        });
        return;
      case 'cancel':
      case 'turn':
        await client.workflow.getHandle(taskId).signal(TASK_SIGNALS[command.kind]);
        return;
      case 'retryPush':
        // A run that is about to end sees the signal, and goes on.
        await client.workflow.signalWithStart(PUSH_WORKFLOW, {
          workflowId: command.pushId,
          taskQueue,
          args: [command.pushId],
          signal: PUSH_SIGNAL,
          signalArgs: [],
          workflowTaskTimeout: '3s',
        });
        return;
      case 'wakePush':
        await client.workflow.getHandle(command.pushId).signal(PUSH_SIGNAL);
    }
  });
}

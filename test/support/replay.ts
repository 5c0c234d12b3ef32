import { type History, Worker, type WorkflowBundleOption } from '@temporalio/worker';
import type { Stack } from './stack.js';

export interface ReplayFailure {
  workflowId: string;
  error: string;
}

/** Replays the histories of these tasks, all their runs, on the bundle; gives those that fail. */
export async function replayAll(stack: Stack, taskIds: string[]): Promise<ReplayFailure[]> {
  const histories: { workflowId: string; history: History }[] = [];
  for (const workflowId of taskIds) {
    for await (const { runId } of stack.client.workflow.list({ query: `WorkflowId = '${workflowId}'` })) {
      histories.push({
        workflowId,
        history: await stack.client.workflow.getHandle(workflowId, runId).fetchHistory(),
      });
    }
  }
  return replayHistories(stack.workflowBundle, histories);
}

export async function replayHistories(
  workflowBundle: WorkflowBundleOption,
  histories: { workflowId: string; history: unknown }[],
): Promise<ReplayFailure[]> {
  const failures: ReplayFailure[] = [];
  for await (const result of Worker.runReplayHistories({ workflowBundle }, histories)) {
    if (result.error) failures.push({ workflowId: result.workflowId, error: result.error.message });
  }
  return failures;
}

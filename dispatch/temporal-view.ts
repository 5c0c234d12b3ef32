import type { Client, WorkflowExecutionStatusName } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';
import type { RunStatus, RunView } from '../core/runs.js';
import { TASK_WORKFLOW } from '../core/task-workflow.js';

const STATUS: Partial<Record<WorkflowExecutionStatusName, RunStatus>> = {
  RUNNING: 'running',
  // The next run of the chain is the newest one within milliseconds.
  CONTINUED_AS_NEW: 'running',
  COMPLETED: 'completed',
  CANCELLED: 'canceled',
  FAILED: 'failed',
  TERMINATED: 'terminated',
  TIMED_OUT: 'timed out',
};

/** Longer lists of ids make a query that the visibility store refuses. */
const IDS_PER_QUERY = 100;

/** Times out by the caller's deadline. */
export class TemporalView implements RunView {
  constructor(
    private readonly client: Client,
    private readonly taskQueue: string,
  ) {}

  /** One visibility query. */
  async endedAbnormally(since: Date): Promise<string[]> {
    const query = [
      `WorkflowType = '${TASK_WORKFLOW}'`,
      `TaskQueue = '${this.taskQueue}'`,
      `ExecutionStatus IN ('Terminated', 'TimedOut', 'Failed', 'Canceled')`,
      `CloseTime >= '${since.toISOString()}'`,
    ].join(' AND ');
    return this.#ids(query);
  }

  async notRunning(taskIds: readonly string[]): Promise<string[]> {
    const running = new Set<string>();
    for (let at = 0; at < taskIds.length; at += IDS_PER_QUERY) {
      const list = taskIds
        .slice(at, at + IDS_PER_QUERY)
        .map((id) => `'${id.replaceAll("'", "''")}'`)
        .join(', ');
      const found = await this.#ids(`WorkflowId IN (${list}) AND ExecutionStatus = 'Running'`);
      for (const id of found) running.add(id);
    }
    return taskIds.filter((id) => !running.has(id));
  }

  /** Read from the history shard: exact, where visibility may lag. */
  async status(taskId: string): Promise<RunStatus> {
    try {
      const { status } = await this.client.workflow.getHandle(taskId).describe();
      return STATUS[status.name] ?? 'running';
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return 'gone';
      throw error;
    }
  }

  async #ids(query: string): Promise<string[]> {
    const ids = new Set<string>();
    for await (const { workflowId } of this.client.workflow.list({ query, pageSize: 1_000 }))
      ids.add(workflowId);
    return [...ids];
  }
}

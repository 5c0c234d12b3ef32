import { ScheduleAlreadyRunning, ScheduleOverlapPolicy, type Client } from '@temporalio/client';
import { RECONCILE_WORKFLOW } from '../core/task-workflow.js';

const EVERY = '20 seconds';

/**
 * The Schedule that compares journal and Temporal (F04). Made by every worker at its start; whoever comes
 * second finds it there. One a task queue, so that several servers may share a namespace.
 */
export async function ensureReconcileSchedule(client: Client, taskQueue: string): Promise<void> {
  const scheduleId = `a2a-reconcile-${taskQueue}`;
  try {
    await client.schedule.create({
      scheduleId,
      spec: { intervals: [{ every: EVERY }] },
      // A pass that lasts longer than the interval makes the next one needless.
      policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
      action: {
        type: 'startWorkflow',
        workflowType: RECONCILE_WORKFLOW,
        workflowId: scheduleId,
        taskQueue,
        args: [],
        workflowExecutionTimeout: '5 minutes',
      },
      state: { triggerImmediately: true },
    });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
}

import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { ReconcileActivities, ReconcilePosition } from '../activities/reconcile.js';

const { reconcile } = proxyActivities<ReconcileActivities>({
  startToCloseTimeout: '1 minute',
  retry: { maximumInterval: '10 seconds' },
});

/** One pass of the reconciler (F04). Its Schedule hands each run the result of the one before. */
export async function reconcileWorkflow(): Promise<ReconcilePosition> {
  return reconcile(workflowInfo().lastResult as ReconcilePosition | undefined);
}

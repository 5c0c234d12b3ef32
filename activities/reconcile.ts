import type { Journal } from '../core/journal.js';
import type { RunStatus, RunView } from '../core/runs.js';
import { isTerminal } from '../core/states.js';

/** How far the last pass came; plain JSON, carried by Temporal from one scheduled run to the next. */
export interface ReconcilePosition {
  /** ISO 8601: runs that ended before are dealt with. */
  until: string;
  /** Id of the last open task looked at; absent where the next pass begins anew. */
  after?: string;
}

export interface ReconcileActivities {
  /** One pass; gives the position from which the next one goes on. */
  reconcile(position: ReconcilePosition | undefined): Promise<ReconcilePosition>;
}

export interface ReconcileDeps {
  journal: Pick<Journal, 'readAny' | 'openTasks' | 'closeTask'>;
  runs: RunView;
  log: { warn(fields: object, message: string): void };
  clock?: () => Date;
}

/** Visibility shows a closed run within seconds; looking back this far costs nothing. */
const LOOK_BACK = 60_000;
const FIRST_LOOK_BACK = 60 * 60_000;
/** A younger row may be about to be started or to write its end. */
const OPEN_SINCE = 20_000;
/** Rows a pass, 100 a query: a pass stays under a second, 10,000 parked tasks are seen within 4 minutes. */
const PORTION = 1_000;

/** What callers read as the status message of a task that the reconciler failed. */
const REASON: Record<Exclude<RunStatus, 'running' | 'canceled'>, string> = {
  completed: 'The task ended without a result',
  failed: 'The task failed',
  terminated: 'The task was terminated',
  'timed out': 'The task took too long',
  gone: 'The task was lost',
};

/**
 * Finds tasks whose run ended behind the journal's back and closes their rows (F04): FAILED with the
 * reason, or CANCELED. Runs that ended abnormally since the last pass come from one query; a walk through
 * old open rows finds what no query shows, such as a deleted run. Each is confirmed by a describe before
 * it is closed, and the journal's compare-and-set lets a real end win. A row that was never started is
 * left alone: its start command is in the outbox.
 */
export function createReconcileActivities({ journal, runs, log, clock }: ReconcileDeps): ReconcileActivities {
  const now = clock ?? (() => new Date());

  async function closeUnlessRunning(taskId: string): Promise<void> {
    const status = await runs.status(taskId);
    if (status === 'running') return;
    const result =
      status === 'canceled'
        ? await journal.closeTask(taskId, 'TASK_STATE_CANCELED')
        : await journal.closeTask(taskId, 'TASK_STATE_FAILED', REASON[status]);
    if (result.outcome === 'recorded') log.warn({ taskId, run: status }, 'closed a task whose run is over');
  }

  async function isOpen(taskId: string): Promise<boolean> {
    const stored = await journal.readAny(taskId, { historyLength: 0, artifacts: false });
    return stored !== undefined && !isTerminal(stored.task.status.state);
  }

  return {
    async reconcile(position) {
      const began = now();
      const since = position ? Date.parse(position.until) - LOOK_BACK : began.getTime() - FIRST_LOOK_BACK;
      for (const taskId of await runs.endedAbnormally(new Date(since))) {
        if (await isOpen(taskId)) await closeUnlessRunning(taskId);
      }

      const open = await journal.openTasks(new Date(began.getTime() - OPEN_SINCE), PORTION, position?.after);
      const started = open.filter((row) => row.started).map((row) => row.taskId);
      for (const taskId of await runs.notRunning(started)) await closeUnlessRunning(taskId);

      const last = open.length === PORTION ? open.at(-1)?.taskId : undefined;
      return { until: began.toISOString(), ...(last !== undefined && { after: last }) };
    },
  };
}

/** How a task's newest run stands in Temporal; `gone` where Temporal has none of this id. */
export type RunStatus = 'running' | 'completed' | 'canceled' | 'failed' | 'terminated' | 'timed out' | 'gone';

/** What Temporal knows of task runs, for the reconciler (F04). */
export interface RunView {
  /** Ids of tasks with a run that ended other than by completing since then. */
  endedAbnormally(since: Date): Promise<string[]>;
  /** Those of the ids that do not show as running: to be confirmed by `status`, since the view may lag. */
  notRunning(taskIds: readonly string[]): Promise<string[]>;
  /** Of the newest run, exact. */
  status(taskId: string): Promise<RunStatus>;
}

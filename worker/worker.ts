import { setTimeout as delay } from 'node:timers/promises';
import { Worker, type NativeConnection, type WorkerOptions, type WorkflowBundle } from '@temporalio/worker';
import type { Logger } from 'pino';

const GRACE = '3 seconds';
const FORCE = '6 seconds';
const RESTART_AFTER = 1_000;

export interface TaskWorkerOptions {
  connection: NativeConnection;
  namespace: string;
  taskQueue: string;
  /** Absent: activities only. */
  workflowBundle?: WorkflowBundle;
  activities: NonNullable<WorkerOptions['activities']>;
  log: Logger;
  /** Runs kept in memory, about 0.3 MB each; resuming one that was evicted costs 18 to 25 ms. Default 200. */
  maxCachedWorkflows?: number;
}

export interface TaskWorker {
  /**
   * Takes no more work and hands over what is under way: activities get three seconds to end, then they
   * are told to stop and run again elsewhere. Resolves within about six seconds.
   */
  close(): Promise<void>;
}

/**
 * Runs task workflows and their activities until closed. A worker that ends by itself, as it does when
 * Temporal does not know its namespace for a moment while it starts, is made anew.
 */
export async function startTaskWorker(options: TaskWorkerOptions): Promise<TaskWorker> {
  let closing = false;
  let worker: Worker | undefined = await createWorker(options);

  async function runUntilClosed(): Promise<void> {
    while (!closing) {
      try {
        worker ??= await createWorker(options);
        const ended = worker.run();
        // Closed while it was made: a worker ends only by having run.
        if (closing) worker.shutdown();
        await ended;
      } catch (error) {
        if (closing) {
          options.log.warn({ err: error }, 'the worker was stopped before its work had ended');
        } else {
          options.log.error({ err: error }, 'the worker ended; starting another one');
          await delay(RESTART_AFTER);
        }
      }
      worker = undefined;
    }
  }

  const running = runUntilClosed();
  return {
    async close() {
      closing = true;
      if (worker?.getState() === 'RUNNING') worker.shutdown();
      await running;
    },
  };
}

function createWorker(options: TaskWorkerOptions): Promise<Worker> {
  const { connection, namespace, taskQueue, workflowBundle, activities, maxCachedWorkflows = 200 } = options;
  return Worker.create({
    connection,
    namespace,
    taskQueue,
    ...(workflowBundle && { workflowBundle }),
    activities,
    // Starts beyond the slots wait in Temporal's backlog; with the default of 40 they do at 64 senders.
    maxConcurrentWorkflowTaskExecutions: 200,
    maxConcurrentLocalActivityExecutions: 200,
    // A model call or an agent's own activity holds its slot for as long as it lasts, and mostly waits.
    maxConcurrentActivityTaskExecutions: 500,
    maxCachedWorkflows,
    // After a worker was killed its runs are given to another one in 1 s instead of 10.
    stickyQueueScheduleToStartTimeout: '1s',
    // A cancel reaches an activity with its next heartbeat: let that be soon.
    maxHeartbeatThrottleInterval: '200ms',
    defaultHeartbeatThrottleInterval: '200ms',
    shutdownGraceTime: GRACE,
    shutdownForceTime: FORCE,
  });
}

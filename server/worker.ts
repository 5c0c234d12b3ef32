import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { createActivities } from '../activities/index.js';
import type { Models } from '../activities/model/configured-model.js';
import { createReconcileActivities } from '../activities/reconcile.js';
import { createWebhookActivities } from '../activities/webhooks.js';
import type { Journal } from '../core/journal.js';
import { pushTaskQueue } from '../core/task-workflow.js';
import {
  ensureReconcileSchedule,
  TemporalView,
  type Dispatcher,
  type TemporalConnection,
} from '../dispatch/index.js';
import {
  bundleWorkflows,
  ownActivitiesOf,
  startTaskWorker,
  temporalLogger,
  type AgentFile,
} from '../worker/index.js';
import type { Running } from './closing.js';
import type { Settings } from './settings.js';
import { startWebhooks } from './webhooks.js';

const SCHEDULE_RETRY = 5_000;

export interface WorkerDeps {
  settings: Settings;
  journal: Journal;
  temporal: TemporalConnection;
  dispatcher: Dispatcher;
  agents: readonly AgentFile[];
  models: Models;
  log: Logger;
}

/** Runs task workflows, their activities, webhooks and the reconciler. Waits for Temporal where it is not there yet. */
export async function startWorker(deps: WorkerDeps): Promise<Running> {
  const { settings, journal, temporal, dispatcher, agents, models, log } = deps;
  const { namespace, taskQueue } = settings.temporal;
  const [workflowBundle, { native, client }] = await Promise.all([
    bundleWorkflows({
      agentFiles: agents.map(({ file }) => file),
      folder: settings.data.bundle,
      logger: temporalLogger(log),
    }),
    temporal.connected(),
  ]);
  const deliver = dispatcher.deliver.bind(dispatcher);
  const webhooks = await startWebhooks({ settings, journal, deliver, log });
  const { courier } = webhooks;
  const retries = await startTaskWorker({
    connection: native,
    namespace,
    taskQueue: pushTaskQueue(taskQueue),
    activities: createWebhookActivities((pushId, signal) => courier.retry(pushId, signal)),
    log,
  });
  const worker = await startTaskWorker({
    connection: native,
    namespace,
    taskQueue,
    workflowBundle,
    activities: {
      ...createActivities({
        journal,
        deliver,
        wakePushes: (pushIds) => courier.wake(pushIds),
        models,
        own: ownActivitiesOf(agents),
        streamArtifacts: settings.streamArtifacts,
      }),
      ...createReconcileActivities({ journal, runs: new TemporalView(client, taskQueue), log }),
    },
    maxCachedWorkflows: settings.maxCachedWorkflows,
    log,
  });
  const schedule = keepEnsuringSchedule(client, taskQueue, log);
  return {
    async close() {
      await schedule.close();
      await Promise.all([worker.close(), retries.close()]);
      await webhooks.close();
    },
  };
}

/** Tasks run without it, so it delays nothing; Temporal may be busy or away in this moment. */
function keepEnsuringSchedule(client: Client, taskQueue: string, log: Logger): Running {
  const closing = new AbortController();
  const { signal } = closing;
  const ensured = (async () => {
    while (!signal.aborted) {
      try {
        await client.withAbortSignal(signal, () => ensureReconcileSchedule(client, taskQueue));
        return;
      } catch (error) {
        if (!signal.aborted)
          log.warn({ err: error }, 'the reconcile schedule could not be made; trying again');
      }
      await delay(SCHEDULE_RETRY, undefined, { signal, ref: false }).catch(() => undefined);
    }
  })();
  return {
    async close() {
      closing.abort();
      await ensured;
    },
  };
}

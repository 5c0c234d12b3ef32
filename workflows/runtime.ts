import {
  CancellationScope,
  condition,
  log,
  proxyActivities,
  proxyLocalActivities,
  sleep,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import type { TaskActivities } from '../activities/types.js';
import { toMillis } from '../core/duration.js';
import type { TaskStart } from '../core/journal.js';
import type { SessionRuntime } from '../core/session/runtime.js';

/** Events after which a checkpoint moves the task to a fresh history: well under the server's 4,000 to 50,000. */
const HISTORY_EVENTS = 2_000;

/**
 * Writes are local activities: no task queue round trip, and the marker in history holds the result only.
 * Faults of the store are retried for ever; what a retry cannot mend is thrown as non-retryable.
 */
const journal = proxyLocalActivities<TaskActivities>({
  startToCloseTimeout: '10 seconds',
  retry: { initialInterval: '50ms', maximumInterval: '5 seconds' },
});

/** Ordinary activities: a local one beside a write would break replay (docs/decisions/0009-one-publish-queue.md). */
const reads = proxyActivities<TaskActivities>({
  startToCloseTimeout: '10 seconds',
  retry: { initialInterval: '200ms', maximumInterval: '5 seconds' },
});

const model = proxyActivities<TaskActivities>({
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '3 seconds',
  retry: { initialInterval: '500ms', maximumInterval: '1 minute', maximumAttempts: 10 },
});

/** Temporal behind the session's port. */
export function workflowRuntime(start: TaskStart): SessionRuntime {
  const shielded = new CancellationScope({ cancellable: false });
  return {
    now: () => Date.now(),
    uuid: uuid4,
    publish: (append) => journal.publish(append),
    restore: () => journal.restore(start),
    generate: (call) => model.generate(call),
    activity(name, input, options) {
      const own = proxyActivities({
        startToCloseTimeout: toMillis(options.startToCloseTimeout ?? '10 minutes'),
        heartbeatTimeout: '3 seconds',
        retry: { maximumAttempts: options.maximumAttempts ?? 5 },
      });
      const call = own[name];
      if (!call) throw new Error(`No activity ${name}`);
      return call(input);
    },
    readMessage: (messageId) => reads.readMessage(start.taskId, messageId),
    readTasks: (taskIds) => reads.readTasks(start.taskId, taskIds),
    readConversation: () => reads.readConversation(start.taskId),
    sleep: (millis) => sleep(millis),
    until: (predicate, millis) =>
      millis === undefined ? condition(predicate).then(() => true) : condition(predicate, millis),
    scope(work) {
      const scope = new CancellationScope();
      return { result: scope.run(work), cancel: () => scope.cancel() };
    },
    shield: (work) => shielded.run(work),
    historyFull() {
      const { continueAsNewSuggested, historyLength } = workflowInfo();
      return continueAsNewSuggested || historyLength >= HISTORY_EVENTS;
    },
    log: (level, message, attributes) => log[level](message, attributes),
  };
}

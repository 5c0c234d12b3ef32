import type { Command, Journal } from '../core/journal.js';
import { createGenerate } from './model/generate.js';
import type { Models } from './model/configured-model.js';
import { ownActivity, type OwnActivity } from './own.js';
import { createJournalActivities, readMessage } from './publish.js';
import type { TaskActivities } from './types.js';

export interface ActivityDeps {
  journal: Journal;
  /** Hands commands to Temporal in the background; `dispatch/` gives it. */
  deliver(commands: Command[]): void;
  /** Delivers webhooks in the background; without it they wait for whoever looks for due ones. */
  wakePushes?(pushIds: string[]): void;
  models: Models;
  /** The agents' own activities, by `{code}.{function}`. */
  own: Record<string, OwnActivity>;
  /** Whether artifacts stream where the agent leaves it open (B12). */
  streamArtifacts: boolean;
}

/** Everything a worker registers for task workflows: the server's activities, and `{code}.{function}` ones. */
export function createActivities(deps: ActivityDeps): TaskActivities {
  const own: Record<string, ReturnType<typeof ownActivity>> = {};
  for (const [name, run] of Object.entries(deps.own)) {
    own[name] = ownActivity(run, (taskId, messageId) => readMessage(deps.journal, taskId, messageId));
  }
  return {
    ...own,
    ...createJournalActivities(deps.journal, deps.deliver, (pushIds) => deps.wakePushes?.(pushIds)),
    generate: createGenerate(deps),
  };
}

import { randomUUID } from 'node:crypto';
import { taskNotFound } from '../../core/errors.js';
import { prefixedId } from '../../core/ids.js';
import type { AcceptedSend, Command, Journal } from '../../core/journal.js';
import type { WebhookGuard } from '../../core/push.js';
import type { SendRequest } from '../../wire/requests.js';
import { scopeOf, type Call } from './call.js';
import { checkEnvelope } from './envelope.js';
import { checkInputModes } from './input-modes.js';
import { checkedRegistration } from './push.js';

export interface AcceptanceDeps {
  journal: Journal;
  guard: WebhookGuard;
  /** Hands commands on in the background; what cannot be delivered stays in the outbox. */
  deliver: (commands: Command[]) => void;
  /** Milliseconds since the epoch. */
  clock: () => number;
}

/**
 * Takes a message: from here the task exists, and Temporal is told in the background, so that a send
 * never fails because of Temporal (F05). What the request itself makes wrong is found before anything
 * is written.
 */
export async function acceptSend(
  deps: AcceptanceDeps,
  call: Call,
  { message, options, push, continues, asTask = false }: SendRequest,
): Promise<AcceptedSend> {
  const { journal, deliver, clock } = deps;
  const { agent, caller, idempotencyKey } = call;
  checkInputModes(agent, message.parts);
  checkEnvelope(message, options);
  await checkReferences(journal, call, message.referenceTaskIds ?? []);

  const registration =
    push && (await checkedRegistration(deps, call, push, 'configuration.taskPushNotificationConfig.'));
  const key = {
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(registration && { push: registration }),
  };
  const id = (prefix: 'task' | 'ctx') => prefixedId(prefix, clock(), randomUUID());
  call.taskId = message.taskId;
  const accepted =
    message.taskId === undefined
      ? await journal.accept({
          taskId: id('task'),
          contextId: message.contextId ?? id('ctx'),
          caller,
          agent: agent.code,
          message,
          options,
          visible: asTask || (agent.answers ?? 'task') === 'task',
          ...(continues && { continues }),
          ...key,
        })
      : await journal.acceptFollowUp({
          taskId: message.taskId,
          ...(message.contextId !== undefined && { contextId: message.contextId }),
          scope: scopeOf(call),
          message,
          options,
          ...key,
        });
  call.taskId = accepted.taskId;
  if (accepted.commands.length > 0) deliver(accepted.commands);
  return accepted;
}

/** A10: each has to be a task of this caller, or the agent would be promised what it cannot read. */
async function checkReferences(journal: Journal, call: Call, taskIds: readonly string[]): Promise<void> {
  for (const taskId of new Set(taskIds)) {
    const found = await journal.read(scopeOf(call), taskId, { historyLength: 0, artifacts: false });
    if (found === undefined) throw taskNotFound(taskId);
  }
}

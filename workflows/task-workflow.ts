import {
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  condition,
  continueAsNew,
  setHandler,
} from '@temporalio/workflow';
import type { Delivery } from '../core/journal.js';
import { TASK_TERMINAL, type TaskWorkflowInput } from '../core/task-workflow.js';
import { newSessionState } from '../core/session/state.js';
import { readReply } from '../core/session/reply.js';
import { Session } from '../core/session/session.js';
import { agentByCode } from './agents.js';
import * as messages from './messages.js';
import { missingAgent } from './missing-agent.js';
import { workflowRuntime } from './runtime.js';

/**
 * One A2A task; workflow id = task id. Wires the handlers to the session, runs the agent, and goes on in a fresh
 * history at a checkpoint. The journal, not this workflow's result, is what clients read.
 */
export async function taskWorkflow(input: TaskWorkflowInput): Promise<void> {
  const state = 'carried' in input ? input.carried : newSessionState(input.start);
  const agent = agentByCode(state.start.agent) ?? missingAgent(state.start.agent);
  const session = new Session(agent, state, workflowRuntime(state.start));

  setHandler(messages.task, () => session.view());
  setHandler(messages.reply, (message) => session.reply(message));
  setHandler(messages.resolveAuth, (resolved) => session.resolveAuth(resolved?.connector));
  setHandler(messages.cancel, () => session.cancel());
  setHandler(messages.turn, () => session.turn());
  setHandler(
    messages.receiveMessage,
    (delivery): undefined => {
      session.receive(delivery);
    },
    {
      validator: (delivery: Delivery) => {
        // A handler that threw would stop the workflow: what comes from elsewhere is looked at here.
        if (typeof delivery?.key !== 'string' || !readReply(delivery.message)) {
          throw ApplicationFailure.nonRetryable('A delivery has a key and a message', 'InvalidDelivery');
        }
        if (session.closed) {
          throw ApplicationFailure.nonRetryable('The task is over', TASK_TERMINAL, session.view().state);
        }
      },
    },
  );

  // `temporal workflow cancel` means the same as the signal.
  CancellationScope.current().cancelRequested.catch(() => session.cancel());

  await CancellationScope.nonCancellable(async () => {
    const end = await session.run();
    // No accepted update may die with the run.
    if (!allHandlersFinished()) await condition(allHandlersFinished);
    if (end === 'continue') await continueAsNew<typeof taskWorkflow>({ carried: state });
  });
}

import { AskTimeout, type Content } from '../agent.js';
import type { TaskState } from '../task.js';

/** Thrown by `reject` and `fail`, so that the agent's code stops there. */
export class AgentEnding extends Error {
  constructor(
    readonly state: Extract<TaskState, 'TASK_STATE_REJECTED' | 'TASK_STATE_FAILED'>,
    readonly content: Content,
  ) {
    super('The agent ended the task');
    this.name = 'AgentEnding';
  }
}

/** The task is over; whatever the agent still meant to publish is dropped. */
export class TaskClosed extends Error {
  constructor(readonly state: TaskState) {
    super(`The task is over: ${state}`);
    this.name = 'TaskClosed';
  }
}

/** Authorisation was not given in time (A15). */
export class AuthExpired extends Error {
  constructor(readonly connector: string) {
    super(`Authorisation for ${connector} was not given in time`);
    this.name = 'AuthExpired';
  }
}

/** What callers read where nothing better may be said. */
export const INTERNAL_ERROR = 'The agent stopped with an internal error.';

/**
 * How a task ends whose agent threw. Only messages that were written for callers are shown: those of
 * `reject` and `fail`, of timeouts, and of failures whose details carry a `safeMessage`. Any other error's text
 * may hold a path, a query or a secret.
 */
export function endingOf(error: unknown): { state: AgentEnding['state']; content: Content } {
  if (error instanceof AgentEnding) return { state: error.state, content: error.content };
  if (error instanceof AskTimeout || error instanceof AuthExpired) {
    return { state: 'TASK_STATE_FAILED', content: `${error.message}.` };
  }
  return {
    state: 'TASK_STATE_FAILED',
    content: safeMessage(error) ?? INTERNAL_ERROR,
  };
}

/** For operators: the error with its stack and all that caused it. Failures that crossed Temporal have no stack. */
export function reportOf(error: unknown): string {
  const lines: unknown[] = [];
  for (let at = error, depth = 0; at !== undefined && depth < 10; depth++) {
    lines.push(at instanceof Error ? at.stack || String(at) : at);
    at = at instanceof Error ? at.cause : undefined;
  }
  return lines.join('\ncaused by ');
}

function safeMessage(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 10; at = at.cause, depth++) {
    const details = (at as { details?: unknown }).details;
    const first: unknown = Array.isArray(details) ? details[0] : undefined;
    if (typeof first === 'object' && first !== null && 'safeMessage' in first)
      return String(first.safeMessage);
  }
  return undefined;
}

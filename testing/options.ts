import type { ActivityContext, Content } from '../core/agent.js';
import type { Message, Metadata, Task } from '../core/task.js';
import type { ModelAnswers } from './model-answers.js';

export interface AgentTestOptions {
  /** What starts the task. */
  message: Content;
  /** Of the message. */
  metadata?: Metadata;
  acceptedOutputModes?: string[];
  /**
   * The agent's own activities, by name. Tried again when they throw, as Temporal would, at no cost of time.
   */
  activities?: Record<string, (input: never, context: ActivityContext) => unknown>;
  /** The model's answers; default the scripted demo model. */
  model?: ModelAnswers;
  /** The context's earlier conversation (A11). */
  conversation?: Message[];
  /** Tasks that the message refers to (A10). */
  references?: Task[];
  /** When the test begins, in milliseconds since the epoch. Default 1 January 2026, 09:00 UTC. */
  now?: number;
  /**
   * Whether each checkpoint begins `run` anew, as in production one of many does, so that what a
   * checkpoint leaves out is missed. Default true.
   */
  restartAtCheckpoints?: boolean;
}

/** Something that the agent or the session told operators. */
export interface LogLine {
  level: 'info' | 'warn' | 'error';
  message: string;
  attributes?: Record<string, unknown>;
}

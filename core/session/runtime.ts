import type { ActivityCallOptions } from '../agent.js';
import type { GenerateCall, GenerateResult } from '../generation.js';
import type { Append, AppendResult } from '../journal.js';
import type { Json, Message, Task } from '../task.js';

/**
 * What a session needs of the world. `workflows/runtime.ts` gives it Temporal's durable timers and
 * activities, `testing/` gives it memory and virtual time; the session itself is the same in both.
 */
export interface SessionRuntime {
  /** Milliseconds since the epoch, the same on replay. */
  now(): number;
  /** A UUID, the same on replay. */
  uuid(): string;
  /**
   * Writes to the journal. Never called twice at once (the publisher's queue). Retries faults of the store for
   * ever; throws what a retry cannot mend.
   */
  publish(append: Append): Promise<AppendResult>;
  /** Writes a lost task row again from the workflow's input. */
  restore(): Promise<void>;
  generate(call: GenerateCall): Promise<GenerateResult>;
  /** One of the agent's own activities, `name` being `{code}.{function}`. */
  activity(name: string, input: Json | undefined, options: ActivityCallOptions): Promise<unknown>;
  /** A message of this task's history, with the content of big parts. */
  readMessage(messageId: string): Promise<Message>;
  readTasks(taskIds: string[]): Promise<Task[]>;
  /** All of it; the session cuts it to what the sender asked for. */
  readConversation(): Promise<Message[]>;
  sleep(millis: number): Promise<void>;
  /** Waits until the predicate holds; false when `millis` passed first. Rejects when its scope is cancelled. */
  until(predicate: () => boolean, millis?: number): Promise<boolean>;
  /** Runs work that `cancel` stops: its waits and calls reject, its activities are aborted. */
  scope(work: () => Promise<void>): { result: Promise<void>; cancel(): void };
  /** Runs work that outlives the cancellation of the scope in which it was called. */
  shield<T>(work: () => Promise<T>): Promise<T>;
  /** Whether a checkpoint should move the task to a fresh history. */
  historyFull(): boolean;
  /** For operators; never shown to callers. */
  log(level: 'info' | 'warn' | 'error', message: string, attributes?: Record<string, unknown>): void;
}

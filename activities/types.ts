import type { GenerateCall, GenerateResult } from '../core/generation.js';
import type { Append, AppendResult, TaskStart } from '../core/journal.js';
import type { Message, Task } from '../core/task.js';

/** The activities of the task workflow. Workflows import this type and nothing else of `activities/`. */
export interface TaskActivities {
  /** Local. Writes to the journal, and hands on the turns that this granted. */
  publish(append: Append): Promise<AppendResult>;
  /** Local. Writes a lost task row again. */
  restore(start: TaskStart): Promise<void>;
  /** A message of the task's history, whole. Fails where it has more than 1 MiB. */
  readMessage(taskId: string, messageId: string): Promise<Message>;
  /** The caller's own tasks of these ids; others are left out. */
  readTasks(taskId: string, ids: string[]): Promise<Task[]>;
  /** The context's earlier conversation (A11), oldest first. */
  readConversation(taskId: string): Promise<Message[]>;
  /** One model turn. Heartbeats; aborts the provider's call when cancelled. */
  generate(call: GenerateCall): Promise<GenerateResult>;
}

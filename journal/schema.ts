import type { Generated } from 'kysely';
import type { PushState } from '../core/push.js';
import type { TaskState } from '../core/task.js';

/**
 * The tables. JSON is kept as text, booleans as 0 and 1, times that only the server looks at as
 * milliseconds since the epoch. No column has a type that one of the two databases lacks.
 */
export interface Tables {
  tasks: TasksTable;
  events: EventsTable;
  messages: MessagesTable;
  artifacts: ArtifactsTable;
  blobs: BlobsTable;
  transcripts: TranscriptsTable;
  contexts: ContextsTable;
  turns: TurnsTable;
  sends: SendsTable;
  commands: CommandsTable;
  counters: CountersTable;
  aliases: AliasesTable;
  pushes: PushesTable;
}

export type Flag = 0 | 1;

/** The snapshot of a task; its history, artifacts and events are rows of their own. */
export interface TasksTable {
  task_id: string;
  tenant: string;
  owner: string;
  agent: string;
  context_id: string;
  state: TaskState;
  /** ISO 8601 in UTC with milliseconds, so that text order is time order. */
  status_time: string;
  /** JSON Message. */
  status_message: string | null;
  /** JSON Metadata of the task itself. */
  metadata: string | null;
  /** JSON Message: the direct answer (A03). */
  direct: string | null;
  visible: Flag;
  /** Sequence of the newest event. */
  last_seq: number;
  /** Events up to this one are gone by retention. */
  floor_seq: number;
  /** Number of messages in the history. */
  history_size: number;
  /** Key of the newest entry, also of one that took no event. */
  last_key: string;
  /** Changes whenever anything that a reader can see changes. */
  version: number;
  cancel_requested: Flag;
  accepted_at: number;
  ended_at: number | null;
  /** 1 when retention has removed the events of an ended task. */
  swept: Flag;
}

/** The log. A task's sequences have no gap, but for fragments that compaction removed. */
export interface EventsTable {
  /** Grows over all tasks and is never given twice. */
  id: Generated<number>;
  task_id: string;
  seq: number;
  /** Unique in the task: what is written again under it is not written. */
  key: string;
  /** Of an artifactUpdate. */
  artifact_id: string | null;
  /** JSON StreamResponse. */
  body: string;
}

/** The history, with the user's messages, which take no event. */
export interface MessagesTable {
  task_id: string;
  /** From 0. */
  position: number;
  /** Of an entry that took no event. */
  key: string | null;
  /** The task's last sequence once the message was there. */
  seq: number;
  at: number;
  body: string;
}

export interface ArtifactsTable {
  task_id: string;
  artifact_id: string;
  /** From 0, in the order in which they began. */
  position: number;
  open: Flag;
  /** JSON Artifact of a closed one. An open one is the fold of its events since `start_seq`. */
  body: string | null;
  /** Its newest event with `append` false. */
  start_seq: number;
  /** `stream:attempt` of the fragments that write it, where such do; empty when their stream has ended. */
  stream: string | null;
  /** 1 where events lie before the closing one, which compaction may remove. */
  fragmented: Flag;
  closed_at: number | null;
}

/** Content of more than 64 KiB that rows refer to. The id is a hash of the content. */
export interface BlobsTable {
  task_id: string;
  blob_id: string;
  /** The text, the base64, or the data as JSON. */
  body: string;
}

/** What the model was told and said, turn by turn. */
export interface TranscriptsTable {
  task_id: string;
  conversation: string;
  position: number;
  body: string;
}

/** A context belongs to a tenant and a caller; its turn to one task at a time (A09, A13). */
export interface ContextsTable {
  tenant: string;
  owner: string;
  context_id: string;
  /** The task that has the turn. Null only while nobody waits. */
  holder: string | null;
  used_at: number;
}

/** Tasks that wait for their context's turn, first come first served. */
export interface TurnsTable {
  id: Generated<number>;
  tenant: string;
  owner: string;
  context_id: string;
  task_id: string;
}

/** Every accepted send, so that one that comes again is known (A20). */
export interface SendsTable {
  id: Generated<number>;
  tenant: string;
  owner: string;
  agent: string;
  task_id: string;
  message_id: string;
  /** Hash of the message without its ids. */
  content: string;
  idempotency_key: string | null;
  follow_up: Flag;
  seq: number;
  state: TaskState;
}

/** The outbox: what Temporal still has to be told. A row goes when it was. */
export interface CommandsTable {
  id: Generated<number>;
  task_id: string;
  kind: 'start' | 'message' | 'cancel' | 'turn' | 'retryPush' | 'wakePush';
  /** JSON TaskStart or Delivery; the id of a webhook. */
  body: string | null;
  created_at: number;
}

/** Number of visible tasks, so that ListTasks need not count them. */
export interface CountersTable {
  tenant: string;
  owner: string;
  agent: string;
  /** 0 counts the whole scope (`context_id` is empty), 1 one context of it. */
  level: Flag;
  context_id: string;
  state: TaskState;
  n: number;
}

/** A task's id by its caller's choice, beside the one that the server gave it. */
export interface AliasesTable {
  tenant: string;
  owner: string;
  agent: string;
  alias: string;
  task_id: string;
}

/**
 * A push notification config and how far its receiver has come. The row is its own outbox (`due`) and its
 * own lock (`holder`), so that a burst of events costs one update each.
 */
export interface PushesTable {
  /** Of the server; ids sort by the time at which they were made. */
  push_id: string;
  task_id: string;
  config_id: string;
  /** Dialect of the bodies. */
  dialect: string;
  url: string;
  token: string | null;
  scheme: string | null;
  credentials: string | null;
  state: PushState;
  /** Up to here everything was delivered, or needed no delivery. */
  delivered_seq: number;
  /** The newest event that the receiver has to be told of. */
  due_seq: number;
  /** 1 where somebody has to deliver at once. */
  due: Flag;
  /** Who delivers now; nobody once `held_until` has passed. */
  holder: string | null;
  held_until: number;
  /** Failed in a row. */
  attempts: number;
  failing_since: number | null;
  last_error: string | null;
  last_attempt_at: number | null;
  next_attempt_at: number | null;
}

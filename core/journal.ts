import type { Caller, Scope } from './caller.js';
import type { PushLog, PushRegistration } from './push.js';
import type { Artifact, Message, Metadata, Part, StreamResponse, Task, TaskState } from './task.js';

/**
 * The journal's interface: the read side of the server. An ordered event log per task, the folded
 * snapshot of each task, and the commands that Temporal still has to be told.
 *
 * Every method is one transaction. Methods throw `A2AError` for what the caller did wrong, and any
 * other error for a fault of the store.
 */
export interface Journal extends JournalAcceptance, JournalAppend, JournalReads, CommandLog, PushLog {
  /** Compaction and retention; returns what was removed. Safe to run in several processes. */
  sweep(now: Date): Promise<{ deltas: number; events: number; tasks: number }>;
  /** Answers within `SELECT 1`; throws when the store cannot be used. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

// ---------------------------------------------------------------------------------------------
// Acceptance: what a client sent. From here the task exists (design: "the path of a message").

/** What the client asked of the agent beside the message. */
export interface SendOptions {
  acceptedOutputModes?: string[];
  /** How many entries of history before the current message the agent considers (A12). */
  historyLength?: number;
  /** The request's own metadata (section 3.2.1), not the message's. */
  metadata?: Metadata;
}

export interface NewTask {
  taskId: string;
  contextId: string;
  caller: Caller;
  agent: string;
  /** messageId, role and parts as the client sent them; the journal adds taskId, contextId, `$timestamp`. */
  message: Message;
  options: SendOptions;
  /**
   * False hides the row from every task operation: it stands behind a direct Message (A03) until
   * something other than that message is recorded, or until `reveal`.
   */
  visible: boolean;
  /** The Idempotency-Key header (A20). */
  idempotencyKey?: string;
  /** Where the message may belong to a task that is there already: that one, else a new one. */
  continues?: Continuation;
  /** Whom to tell of what becomes of the send. */
  push?: PushRegistration;
}

/** How a dialect that does not name tasks by the server's ids says which one it means. */
export type Continuation =
  /**
   * The task that has this id by its caller's choice, or by the server's; a new one has it by choice from
   * then on (D03).
   */
  | { kind: 'alias'; alias: string }
  /** The context's newest task that waits for input and has no answer yet (D04). */
  | { kind: 'question' };

export interface FollowUp {
  taskId: string;
  /** As the client sent it; differs from the task's: INVALID_PARAMS on `message.contextId`. */
  contextId?: string;
  scope: Scope;
  message: Message;
  options: SendOptions;
  idempotencyKey?: string;
  push?: PushRegistration;
}

/** A send that was accepted, now or before. */
export interface AcceptedSend {
  taskId: string;
  contextId: string;
  /** The task's last sequence when the message was recorded: what settles the send comes after it. */
  seq: number;
  /** The task's state at that moment. */
  state: TaskState;
  /** True where this send was recorded earlier, so that nothing runs twice (A20). */
  duplicate: boolean;
  visible: boolean;
  /** What Temporal has to be told. Recorded in the same transaction; empty on a duplicate. */
  commands: Command[];
}

export interface JournalAcceptance {
  /**
   * Writes the task row (SUBMITTED), event 1 (the Task), the message as history, the send, a start
   * command and the request for the context's turn. With an idempotency key that this caller used
   * before: the earlier send, or INVALID_PARAMS when its content differs. With `continues` the message
   * may go to an existing task instead, as by `acceptFollowUp`: decided in the same transaction.
   */
  accept(input: NewTask): Promise<AcceptedSend>;
  /**
   * Adds a message to an existing task of this scope and writes a message command. The check for a
   * duplicate (same idempotency key; or same taskId, messageId and content) comes first, then unknown
   * or foreign (TASK_NOT_FOUND), then context mismatch, then terminal (UNSUPPORTED_OPERATION).
   */
  acceptFollowUp(input: FollowUp): Promise<AcceptedSend>;
  /**
   * The send that a cursor on a send resumes (B07): by idempotency key, else by taskId and messageId,
   * else this caller's newest with that messageId and content.
   */
  findSend(scope: Scope, send: SendLookup): Promise<AcceptedSend | undefined>;
  /** Makes a hidden row visible, as SUBMITTED or whatever it is by now. False where it is direct already. */
  reveal(taskId: string): Promise<boolean>;
  /**
   * Records that cancellation was asked for, with a cancel command. Throws TASK_NOT_FOUND, or
   * TASK_NOT_CANCELABLE on a terminal task. Repeated while under way: the same, with no second command.
   */
  requestCancel(scope: Scope, taskId: string): Promise<{ seq: number; commands: Command[] }>;
  /**
   * Ends a task whose workflow cannot or will not (no worker, terminated run): compare-and-set, so the
   * first terminal state stays. Closes open artifacts as intermediate-thinking.
   */
  closeTask(
    taskId: string,
    state: 'TASK_STATE_CANCELED' | 'TASK_STATE_FAILED',
    reason?: string,
  ): Promise<AppendResult>;
}

export interface SendLookup {
  idempotencyKey?: string;
  taskId?: string;
  message: Message;
}

// ---------------------------------------------------------------------------------------------
// Append: what the workflow and its activities publish.

/** A message of the agent before the journal has given it an id and a time. */
export interface AgentMessage {
  parts: Part[];
  metadata?: Metadata;
  extensions?: string[];
}

export type Entry =
  /**
   * A state change or progress. States in between are added (`statesTo`). A settled state closes open
   * artifacts first: as intermediate-thinking, on COMPLETED as they are. The message enters history.
   */
  | { kind: 'status'; state: TaskState; message?: AgentMessage; metadata?: Metadata }
  /** `append` to an unknown artifact starts it (A18). `lastChunk` closes it. */
  | { kind: 'artifact'; artifact: Artifact; append: boolean; lastChunk: boolean }
  /** Closes an open artifact: the journal writes the whole text in one part, `append` false. */
  | { kind: 'close'; artifactId: string; metadata?: Metadata }
  /** The direct answer (A03): ends a hidden row; on a visible one it becomes artifact and COMPLETED. */
  | { kind: 'message'; message: AgentMessage }
  /** A user's message that came by a Temporal signal and not through the API. */
  | { kind: 'received'; message: Message }
  /** Keys to set in the task's own metadata, such as `$usage` (A17). */
  | { kind: 'metadata'; metadata: Metadata };

export interface Append {
  taskId: string;
  /**
   * Key of the previous entry of this run. Each entry's key is a hash of the one before, its kind and
   * its content without times and ids, so a local activity that runs again repeats nothing.
   */
  prevKey: string;
  entries: Entry[];
}

export interface AppendResult {
  /**
   * `recorded`: all entries are in the log (now or before). `terminal`: the task was terminal already,
   * nothing was written. `turn`: another task holds the context's turn; nothing was written, the
   * request is queued and a `turn` command will follow. `unknown`: there is no such row.
   */
  outcome: 'recorded' | 'terminal' | 'turn' | 'unknown';
  /** What the row says now. The workflow adopts this, never what it meant to record. */
  state: TaskState;
  lastSeq: number;
  /** Sequence of the last status entry of this append, recorded now or before; 0 without one. */
  statusSeq: number;
  lastKey: string;
  /** Artifact ids that this append gave, where an earlier attempt had recorded other ones. */
  artifactIds: Record<string, string>;
  /** Turns that this append granted to other tasks. */
  commands: Command[];
  /** Webhooks that something is due for now; absent where there are none. */
  pushes?: string[];
}

/** A fragment of a streamed artifact, appended by an activity while it runs. */
export interface Delta {
  taskId: string;
  /** Unique in the task and the same when this fragment is written again, e.g. `s3:2:17`. */
  key: string;
  artifactId: string;
  name?: string;
  metadata?: Metadata;
  /** False on the first fragment of a stream and of every attempt after it: it replaces (B11). */
  append: boolean;
  text: string;
}

export interface JournalAppend {
  /** Status and artifacts from the workflow's one publish queue. Durable when it returns. */
  append(input: Append): Promise<AppendResult>;
  /**
   * Fragments, in order, cheaper and without a flush of their own. False where the task is terminal:
   * nothing was written and the caller should stop.
   */
  appendDeltas(deltas: Delta[]): Promise<boolean>;
  /** Writes a lost row again from the workflow's input. No-op where the row is there. */
  restore(input: NewTask): Promise<void>;
  /**
   * One entry of a model's transcript, plain JSON; the same position again replaces it. Arrays named
   * `parts` in it, outside of `data` and `metadata`, are A2A parts: big ones are kept as blobs, and all
   * are whole when read.
   */
  putTranscript(taskId: string, conversation: string, position: number, body: unknown): Promise<void>;
  readTranscript(taskId: string, conversation: string): Promise<unknown[]>;
}

// ---------------------------------------------------------------------------------------------
// Reads

export interface StoredTask {
  task: Task;
  /** The last sequence folded into `task`. */
  lastSeq: number;
  agent: string;
  caller: Caller;
  /** The direct answer, where there is one. */
  message?: Message;
  visible: boolean;
  /** Waiting for its turn in the context, so that no worker can be missed (F05). */
  waitingForTurn: boolean;
  /** Sequences at or below this one are gone by retention; a cursor below gets a snapshot. */
  floorSeq: number;
}

export interface StoredEvent {
  taskId: string;
  seq: number;
  event: StreamResponse;
}

export interface ReadOptions {
  /** Newest n entries; 0 none; absent all. */
  historyLength?: number;
  /** Default true. */
  artifacts?: boolean;
}

export interface TaskQuery {
  scope: Scope;
  contextId?: string;
  /** One state, or several of which a task has one; an empty list fits none. */
  status?: TaskState | readonly TaskState[];
  /** ISO 8601; only tasks whose status timestamp is that or later. */
  statusTimestampAfter?: string;
  /** 1 to 100. */
  pageSize: number;
  /** As given by the last page; anything else is INVALID_PARAMS on `pageToken`. */
  pageToken?: string;
  historyLength?: number;
  includeArtifacts: boolean;
}

export interface TaskPage {
  tasks: Task[];
  nextPageToken: string;
  totalSize: number;
}

export interface JournalReads {
  /** Undefined for unknown, foreign and hidden rows alike. */
  read(scope: Scope, taskId: string, options?: ReadOptions): Promise<StoredTask | undefined>;
  /** Without a scope, hidden rows too: for the server's own use. */
  readAny(taskId: string, options?: ReadOptions): Promise<StoredTask | undefined>;
  /** The task to which this caller gave the id when it began (D03). */
  resolveAlias(scope: Scope, alias: string): Promise<string | undefined>;
  /** The id that its caller gave to the task. */
  aliasOf(taskId: string): Promise<string | undefined>;
  readArtifact(scope: Scope, taskId: string, artifactId: string): Promise<Artifact | undefined>;
  list(query: TaskQuery): Promise<TaskPage>;
  /** Earlier messages and final artifacts of a context, in order, without intermediate-thinking (A11). */
  readContext(scope: Scope, contextId: string, before: { taskId: string }): Promise<Message[]>;
  readEvents(taskId: string, after: number, limit: number): Promise<StoredEvent[]>;
  /** The task as it was after that event; undefined where the task or so early an event is gone. */
  readTaskAt(taskId: string, seq: number): Promise<Task | undefined>;
  /**
   * Wakes the listener after every commit that added events to the task, from whichever process. The
   * listener then reads. Returns the function that ends it.
   */
  watch(taskId: string, listener: () => void): () => void;
  /**
   * Open tasks whose status has not changed since then, in order of their id (which is their age), those
   * after the given id: for the reconciler, which goes through them in portions.
   */
  openTasks(
    before: Date,
    limit: number,
    after?: string,
  ): Promise<{ taskId: string; state: TaskState; started: boolean }[]>;
}

// ---------------------------------------------------------------------------------------------
// Commands: the outbox

/** All that a workflow needs to begin; a part over 64 KiB is a blob reference by now. */
export interface TaskStart {
  taskId: string;
  contextId: string;
  caller: Caller;
  agent: string;
  message: Message;
  options: SendOptions;
  visible: boolean;
  /** Whether the context's turn was free at acceptance; else the workflow waits for a `turn` signal. */
  turn: boolean;
}

/** A follow-up on its way to the workflow. */
export interface Delivery {
  /** Hash of messageId and content: the workflow takes each once. */
  key: string;
  message: Message;
  options: SendOptions;
  /** The task's last sequence at acceptance: a question with this sequence or a lower one is answered by it. */
  afterSeq: number;
  /** Whether the task holds its context's turn; else it has to take it before it goes on. */
  turn: boolean;
}

export type Command = { id: number; taskId: string } & (
  | { kind: 'start'; start: TaskStart }
  | { kind: 'message'; delivery: Delivery }
  | { kind: 'cancel' }
  | { kind: 'turn' }
  /** A webhook's receiver failed: to be tried again. */
  | { kind: 'retryPush'; pushId: string }
  /** A config is gone, or another one now: whoever waits to try it again looks at once. */
  | { kind: 'wakePush'; pushId: string }
);

export interface CommandLog {
  /** Commands not done, recorded before the given time, oldest first. */
  pendingCommands(before: Date, limit: number): Promise<Command[]>;
  commandDone(id: number): Promise<void>;
}

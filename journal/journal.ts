import type { Scope } from '../core/caller.js';
import type {
  AcceptedSend,
  Append,
  AppendResult,
  Command,
  Delta,
  FollowUp,
  Journal,
  NewTask,
  ReadOptions,
  SendLookup,
  StoredEvent,
  StoredTask,
  TaskPage,
  TaskQuery,
} from '../core/journal.js';
import type {
  PushClaim,
  PushConfig,
  PushFailure,
  PushLease,
  PushLog,
  PushProgress,
  PushRegistration,
} from '../core/push.js';
import type { Artifact, Message, Task, TaskState } from '../core/task.js';
import { accept, acceptFollowUp, requestCancel, restore, reveal } from './acceptance.js';
import { aliasOf, resolveAlias } from './aliases.js';
import { append } from './append.js';
import { closeTask } from './close.js';
import { commandDone, pendingCommands } from './commands.js';
import { readContext } from './contexts.js';
import { appendFragments } from './deltas.js';
import { readEvents } from './events.js';
import { listTasks } from './list.js';
import { openTasks } from './open-tasks.js';
import type { JournalOptions } from './options.js';
import type { Db } from './prepare.js';
import {
  deletePushConfig,
  listPushConfigs,
  putPushConfig,
  readPushConfig,
  readPushProgress,
} from './push-configs.js';
import {
  claimPush,
  confirmPush,
  duePushes,
  extendPush,
  failPush,
  restartPushes,
  yieldPush,
} from './push-leases.js';
import { findSend } from './sends.js';
import { Snapshots } from './snapshots.js';
import type { Store, StoreStats } from './store.js';
import { type Swept, sweep } from './sweep.js';
import { readTaskAt } from './task-at.js';
import { putTranscript, readTranscript } from './transcripts.js';

export interface JournalStats extends StoreStats {
  /** Entries and fragments that came too late and were dropped, since this process began (A06). */
  dropped: number;
}

/** The journal over a database: each method is one transaction of the store, or one moment's read. */
export class SqlJournal implements Journal {
  readonly #store: Store;
  readonly #options: JournalOptions;
  readonly #snapshots: Snapshots;
  #dropped = 0;

  constructor(store: Store, options: JournalOptions) {
    this.#store = store;
    this.#options = options;
    this.#snapshots = new Snapshots(store, options.snapshotCache);
  }

  /** For metrics. */
  get stats(): JournalStats {
    return { ...this.#store.stats, dropped: this.#dropped };
  }

  // Acceptance

  accept(input: NewTask): Promise<AcceptedSend> {
    return this.#store.write('flushed', (tx) => accept(tx, input, this.#options));
  }

  acceptFollowUp(input: FollowUp): Promise<AcceptedSend> {
    return this.#store.write('flushed', (tx) => acceptFollowUp(tx, input, this.#options));
  }

  findSend(scope: Scope, send: SendLookup): Promise<AcceptedSend | undefined> {
    return findSend(this.#store.reader, scope, send);
  }

  reveal(taskId: string): Promise<boolean> {
    return this.#store.write('flushed', (tx) => reveal(tx, taskId, this.#options.now()));
  }

  requestCancel(scope: Scope, taskId: string): Promise<{ seq: number; commands: Command[] }> {
    return this.#store.write('flushed', (tx) => requestCancel(tx, scope, taskId, this.#options.now()));
  }

  closeTask(
    taskId: string,
    state: 'TASK_STATE_CANCELED' | 'TASK_STATE_FAILED',
    reason?: string,
  ): Promise<AppendResult> {
    return this.#store.write('flushed', (tx) => closeTask(tx, taskId, state, reason, this.#options.now()));
  }

  // Append

  async append(input: Append): Promise<AppendResult> {
    const { result, dropped } = await this.#store.write('flushed', (tx) =>
      append(tx, input, this.#options.now()),
    );
    this.#dropped += dropped;
    return result;
  }

  async appendDeltas(deltas: Delta[]): Promise<boolean> {
    const byTask = new Map<string, Delta[]>();
    for (const delta of deltas) byTask.set(delta.taskId, [...(byTask.get(delta.taskId) ?? []), delta]);
    const dropped = await Promise.all(
      [...byTask].map(([taskId, fragments]) =>
        this.#store.write('lazy', (tx) => appendFragments(tx, taskId, fragments, this.#options.now())),
      ),
    );
    for (const n of dropped) this.#dropped += n;
    return dropped.every((n) => n === 0);
  }

  restore(input: NewTask): Promise<void> {
    return this.#store.write('flushed', (tx) => restore(tx, input, this.#options.now()));
  }

  putTranscript(taskId: string, conversation: string, position: number, body: unknown): Promise<void> {
    return this.#store.write('flushed', (tx) => putTranscript(tx, taskId, conversation, position, body));
  }

  readTranscript(taskId: string, conversation: string): Promise<unknown[]> {
    return this.#store.snapshot((db) => readTranscript(db, taskId, conversation));
  }

  // Reads

  read(scope: Scope, taskId: string, options?: ReadOptions): Promise<StoredTask | undefined> {
    return this.#snapshots.read(taskId, scope, options);
  }

  readAny(taskId: string, options?: ReadOptions): Promise<StoredTask | undefined> {
    return this.#snapshots.read(taskId, undefined, options);
  }

  resolveAlias(scope: Scope, alias: string): Promise<string | undefined> {
    return resolveAlias(this.#store.reader, scope, alias);
  }

  aliasOf(taskId: string): Promise<string | undefined> {
    return aliasOf(this.#store.reader, taskId);
  }

  async readArtifact(scope: Scope, taskId: string, artifactId: string): Promise<Artifact | undefined> {
    const stored = await this.read(scope, taskId);
    return stored?.task.artifacts?.find((artifact) => artifact.artifactId === artifactId);
  }

  list(query: TaskQuery): Promise<TaskPage> {
    return this.#store.snapshot((db) => listTasks(db, this.#snapshots, query));
  }

  readContext(scope: Scope, contextId: string, before: { taskId: string }): Promise<Message[]> {
    return this.#store.snapshot((db) => readContext(db, scope, contextId, before));
  }

  readEvents(taskId: string, after: number, limit: number): Promise<StoredEvent[]> {
    return readEvents(this.#store.reader, taskId, after, limit);
  }

  async readTaskAt(taskId: string, seq: number): Promise<Task | undefined> {
    const newest = await this.readAny(taskId);
    if (newest === undefined || newest.lastSeq === seq) return newest?.task;
    return this.#store.snapshot((db) => readTaskAt(db, taskId, seq));
  }

  watch(taskId: string, listener: () => void): () => void {
    return this.#store.watch(taskId, listener);
  }

  openTasks(
    before: Date,
    limit: number,
    after?: string,
  ): Promise<{ taskId: string; state: TaskState; started: boolean }[]> {
    return openTasks(this.#store.reader, before, limit, after);
  }

  // Commands

  pendingCommands(before: Date, limit: number): Promise<Command[]> {
    return pendingCommands(this.#store.reader, before, limit);
  }

  commandDone(id: number): Promise<void> {
    return this.#store.write('lazy', (tx) => commandDone(tx.db, id));
  }

  // Webhooks

  putPushConfig(
    scope: Scope,
    taskId: string,
    config: PushRegistration,
  ): Promise<{ config: PushConfig; commands: Command[] }> {
    return this.#store.write('flushed', (tx) => putPushConfig(tx, scope, taskId, config, this.#options));
  }

  readPushConfig(scope: Scope, taskId: string, id?: string): Promise<PushConfig | undefined> {
    return this.#store.snapshot((db) => readPushConfig(db, scope, taskId, id));
  }

  listPushConfigs(
    scope: Scope,
    taskId: string,
    page: { size: number; token?: string },
  ): Promise<{ configs: PushConfig[]; nextPageToken: string }> {
    return this.#store.snapshot((db) => listPushConfigs(db, scope, taskId, page));
  }

  deletePushConfig(scope: Scope, taskId: string, id: string): Promise<Command[]> {
    return this.#store.write('flushed', (tx) => deletePushConfig(tx, scope, taskId, id, this.#options.now()));
  }

  readPushProgress(
    scope: Scope,
    taskId: string,
    id: string,
    limit: number,
  ): Promise<PushProgress | undefined> {
    return this.#store.snapshot((db) => readPushProgress(db, scope, taskId, id, limit));
  }

  duePushes(limit: number): Promise<string[]> {
    return duePushes(this.#store.reader, limit, this.#options.now());
  }

  claimPush(pushId: string, lease: PushLease, attempt: 'first' | 'retry'): ReturnType<PushLog['claimPush']> {
    return this.#pushes((db, now) => claimPush(db, pushId, lease, attempt, now));
  }

  extendPush(pushId: string, lease: PushLease): Promise<boolean> {
    return this.#pushes((db) => extendPush(db, pushId, lease));
  }

  confirmPush(pushId: string, lease: PushLease, seq: number): Promise<PushClaim | 'over'> {
    return this.#pushes((db, now) => confirmPush(db, pushId, lease, seq, now));
  }

  failPush(pushId: string, lease: PushLease, failure: PushFailure): Promise<Command[]> {
    return this.#pushes((db, now) => failPush(db, pushId, lease, failure, now));
  }

  yieldPush(pushId: string, lease: PushLease): Promise<void> {
    return this.#pushes((db) => yieldPush(db, pushId, lease));
  }

  restartPushes(before: Date): Promise<Command[]> {
    return this.#pushes((db, now) => restartPushes(db, before.getTime(), now));
  }

  /** A delivery may be repeated, so its progress need not survive a power loss. */
  #pushes<T>(work: (db: Db, now: number) => Promise<T>): Promise<T> {
    return this.#store.write('lazy', ({ db }) => work(db, this.#options.now()));
  }

  // Upkeep

  sweep(now: Date): Promise<Swept> {
    return sweep(this.#store, this.#options, now);
  }

  async ping(): Promise<void> {
    await this.#store.reader.selectFrom('contexts').select('context_id').limit(1).execute();
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}

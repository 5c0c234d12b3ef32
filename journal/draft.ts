import type { Recorded } from '../core/record.js';
import { isSettled, isTerminal } from '../core/states.js';
import type { Command } from '../core/journal.js';
import { isPushed } from '../core/push.js';
import type { Message, Metadata, StreamResponse, TaskArtifactUpdateEvent, TaskState } from '../core/task.js';
import { BlobWriter } from './blobs.js';
import { count } from './counters.js';
import { attendantKey } from './keys.js';
import { markDue } from './push-rows.js';
import {
  advanceTask,
  type ArtifactRow,
  artifactRows,
  flag,
  insertEvent,
  insertMessage,
  saveArtifact,
  type TaskRow,
  updateTask,
} from './rows.js';
import type { Transaction } from './store.js';
import { releaseTurn } from './turns.js';

/**
 * A task while one operation changes it: what is added goes to its tables at once, the task's own row is
 * written by {@link Draft.save}. Nothing here knows rules; those are in `core/record.ts`.
 */
export class Draft {
  readonly row: TaskRow;
  /** Once saved: webhooks that have to be told of it. */
  pushes: string[] = [];
  readonly #tx: Transaction;
  readonly #now: number;
  readonly #before: TaskRow;
  readonly #blobs = new BlobWriter();
  #artifacts: Map<string, ArtifactRow> | undefined;
  /** A status was recorded. A paused task may hold the turn by now, for a reply; other events leave it that. */
  #entered = false;
  /** Sequence of the newest event that webhooks are told of. */
  #pushedSeq = 0;

  constructor(tx: Transaction, row: TaskRow, now: number) {
    this.#tx = tx;
    this.#now = now;
    this.#before = row;
    this.row = { ...row };
  }

  /** All artifacts so far, in the order in which they began. */
  async artifacts(): Promise<ReadonlyMap<string, ArtifactRow>> {
    return (this.#artifacts ??= new Map(
      (await artifactRows(this.#tx.db, { taskId: this.row.task_id })).map((row) => [row.artifact_id, row]),
    ));
  }

  /**
   * `key` is the entry's; the events that came with it get keys of their own. `stream` names the attempt
   * whose fragments write the entry's artifact, empty where no fragment may follow; absent, it stays.
   */
  async add(recorded: Recorded, key: string, stream?: string): Promise<void> {
    const { events, received, direct, state } = recorded;
    const own = events.length - 1;
    for (const [at, event] of events.entries()) {
      if (at < own) await this.addEvent(event, attendantKey(key, at));
      else await this.addEvent(event, key, stream);
    }
    if (received !== undefined) await this.addMessage(received, key);
    if (direct !== undefined) {
      this.row.direct = JSON.stringify(this.#blobs.detach(direct));
      this.#enter(state.task.status.state, state.task.status.timestamp, null);
      await this.addMessage(direct, null);
    }
    this.row.visible = flag(state.visible);
  }

  async addEvent(whole: StreamResponse, key: string, stream?: string): Promise<void> {
    const event = this.#blobs.detach(whole);
    const { row } = this;
    row.last_seq += 1;
    const artifactId = 'artifactUpdate' in event ? event.artifactUpdate.artifact.artifactId : null;
    await insertEvent(this.#tx.db, {
      task_id: row.task_id,
      seq: row.last_seq,
      key,
      artifact_id: artifactId,
      body: JSON.stringify(event),
    });
    this.#tx.added(row.task_id);
    if (isPushed(whole)) this.#pushedSeq = row.last_seq;
    if ('statusUpdate' in event) {
      const { state, timestamp, message } = event.statusUpdate.status;
      this.#enter(state, timestamp, message === undefined ? null : JSON.stringify(message));
      if (message !== undefined) await this.addMessage(message, null);
    }
    if ('artifactUpdate' in event) await this.#updateArtifact(event.artifactUpdate, stream);
  }

  /** Gives the message as it is stored: big parts are blobs. */
  async addMessage(whole: Message, key: string | null): Promise<Message> {
    const message = this.#blobs.detachMessage(whole);
    const { row } = this;
    await insertMessage(this.#tx.db, {
      task_id: row.task_id,
      position: row.history_size,
      key,
      seq: row.last_seq,
      at: this.#now,
      body: JSON.stringify(message),
    });
    row.history_size += 1;
    return message;
  }

  setMetadata(metadata: Metadata): void {
    const before = this.row.metadata === null ? {} : (JSON.parse(this.row.metadata) as Metadata);
    this.row.metadata = JSON.stringify({ ...before, ...metadata });
  }

  /** Writes the row, the counters and, where the task has settled, passes the turn on. */
  async save(): Promise<Command[]> {
    const { db } = this.#tx;
    const before = this.#before;
    const { row } = this;
    await this.#blobs.save(db, row.task_id);
    row.version = before.version + 1;
    // A task that does not show tells nobody; what it has to tell comes when it does.
    if (this.#pushedSeq > 0 && row.visible === 1) {
      this.pushes = await markDue(db, row.task_id, this.#pushedSeq);
    }
    if (!hasChanged(before, row)) {
      await advanceTask(db, row);
      return [];
    }
    await updateTask(db, row);
    await count(db, row, shownState(before), shownState(row));
    return this.#entered && isSettled(row.state)
      ? releaseTurn(db, row, this.#now, isTerminal(row.state))
      : [];
  }

  #enter(state: TaskState, timestamp: string, message: string | null): void {
    const { row } = this;
    row.state = state;
    row.status_time = timestamp;
    row.status_message = message;
    this.#entered = true;
    if (isTerminal(state)) row.ended_at = this.#now;
  }

  /** Fragments leave the artifact's row alone; what begins or ends it does not. */
  async #updateArtifact(update: TaskArtifactUpdateEvent, stream: string | undefined): Promise<void> {
    const { artifact, append, lastChunk } = update;
    if (append === true) return;
    const rows = (await this.artifacts()) as Map<string, ArtifactRow>;
    const before = rows.get(artifact.artifactId);
    const closed = lastChunk === true;
    const row: ArtifactRow = {
      task_id: this.row.task_id,
      artifact_id: artifact.artifactId,
      position: before?.position ?? rows.size,
      open: flag(!closed),
      start_seq: this.row.last_seq,
      stream: stream ?? before?.stream ?? null,
      fragmented: flag(!closed || before !== undefined),
      closed_at: closed ? this.#now : null,
    };
    await saveArtifact(this.#tx.db, { ...row, body: closed ? JSON.stringify(artifact) : null });
    rows.set(artifact.artifactId, row);
  }
}

function shownState(row: TaskRow): TaskState | undefined {
  return row.visible === 1 ? row.state : undefined;
}

function hasChanged(before: TaskRow, after: TaskRow): boolean {
  return (Object.keys(after) as (keyof TaskRow)[]).some(
    (column) => column !== 'last_seq' && column !== 'version' && after[column] !== before[column],
  );
}

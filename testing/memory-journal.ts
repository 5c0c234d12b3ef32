import { ANONYMOUS } from '../core/caller.js';
import { type IdPrefix, prefixedId } from '../core/ids.js';
import type { Append, AppendResult, Delta, Journal, StoredTask, TaskStart } from '../core/journal.js';
import {
  type Recorded,
  record,
  recordFragment,
  type RecordState,
  type Stamp,
  withTask,
} from '../core/record.js';
import type { Artifact, Message, StreamResponse, Task } from '../core/task.js';

type JournalOfATask = Pick<
  Journal,
  'append' | 'appendDeltas' | 'putTranscript' | 'readTranscript' | 'readContext' | 'readAny'
>;

/** The journal of one task in a test: the same rules as the server's ({@link record}), in memory. */
export class MemoryJournal implements JournalOfATask {
  readonly events: StreamResponse[] = [];
  /** The direct answer (A03). */
  direct: Message | undefined;
  private state: RecordState;
  private readonly transcripts = new Map<string, unknown[]>();
  private ids = 0;

  constructor(
    private readonly start: TaskStart,
    private readonly conversation: Message[],
    private readonly now: () => number,
    private readonly onEvent: (event: StreamResponse, seq: number) => void,
  ) {
    const { taskId: id, contextId, message, visible } = start;
    const task: Task = { id, contextId, status: { state: 'TASK_STATE_SUBMITTED', timestamp: this.time() } };
    task.history = [withTask(message, task, this.time())];
    this.state = { task, visible, open: [] };
    if (visible) this.events.push({ task: structuredClone(task) });
  }

  get task(): Task {
    return this.state.task;
  }

  get lastSeq(): number {
    return this.events.length;
  }

  /** A user's follow-up, in the history from now on. */
  receive(message: Message): void {
    const { task } = this.state;
    const history = [...(task.history ?? []), withTask(message, task, this.time())];
    this.state = { ...this.state, task: { ...task, history } };
  }

  async append({ entries, prevKey }: Append): Promise<AppendResult> {
    let statusSeq = 0;
    for (const entry of entries) {
      const recorded = record(this.state, entry, this.stamp());
      if (!recorded) return this.result('terminal', prevKey, 0);
      this.commit(recorded);
      if (entry.kind === 'status') statusSeq = this.lastSeq;
    }
    return this.result('recorded', `key-${this.lastSeq}`, statusSeq);
  }

  async appendDeltas(deltas: Delta[]): Promise<boolean> {
    for (const { artifactId, name, metadata, text, append } of deltas) {
      const artifact: Artifact = {
        artifactId,
        ...(name !== undefined && { name }),
        parts: [{ text }],
        ...(metadata && { metadata }),
      };
      const recorded = recordFragment(this.state, artifact, append);
      if (!recorded) return false;
      this.commit(recorded);
    }
    return true;
  }

  async putTranscript(_taskId: string, conversation: string, position: number, body: unknown): Promise<void> {
    const entries = this.transcripts.get(conversation) ?? [];
    entries[position] = structuredClone(body);
    this.transcripts.set(conversation, entries);
  }

  async readTranscript(_taskId: string, conversation: string): Promise<unknown[]> {
    return structuredClone(this.transcripts.get(conversation) ?? []);
  }

  async readContext(): Promise<Message[]> {
    return this.conversation;
  }

  async readAny(): Promise<StoredTask> {
    return {
      task: this.task,
      lastSeq: this.lastSeq,
      agent: this.start.agent,
      caller: ANONYMOUS,
      visible: this.state.visible,
      waitingForTurn: false,
      floorSeq: 0,
    };
  }

  private commit({ state, events, direct, received }: Recorded): void {
    if (!this.state.visible && state.visible) this.emit([{ task: this.task }]);
    this.state = state;
    if (direct) this.direct = direct;
    if (received) this.receive(received);
    this.emit(events);
  }

  private emit(events: StreamResponse[]): void {
    for (const event of events) {
      this.events.push(structuredClone(event));
      this.onEvent(event, this.lastSeq);
    }
  }

  private result(outcome: AppendResult['outcome'], lastKey: string, statusSeq: number): AppendResult {
    const { state } = this.task.status;
    return { outcome, state, lastSeq: this.lastSeq, statusSeq, lastKey, artifactIds: {}, commands: [] };
  }

  private time(): string {
    return new Date(this.now()).toISOString();
  }

  private stamp(): Stamp {
    return {
      time: this.time(),
      id: (prefix: IdPrefix) => {
        this.ids += 1;
        return prefixedId(
          prefix,
          this.now(),
          `00000000-0000-4000-9000-${this.ids.toString(16).padStart(12, '0')}`,
        );
      },
    };
  }
}

import { textOf, type Message, type TaskState } from '../../core/task.js';
import type { AppendResult, Command, Delivery, Entry, Journal, TaskStart } from '../../core/journal.js';

/** What an agent of a test does with a task. */
export type Script = (run: Run) => Promise<void>;

/** The task has ended behind the script's back. */
class Ended extends Error {}

/**
 * Stands where Temporal and its workers stand: takes commands from the API and writes what its scripts
 * do into the real journal. It can be stopped, so that commands wait in the outbox.
 */
export class ScriptedWorker {
  private readonly runs = new Map<string, Run>();
  private waiting: Command[] = [];
  private stopped = false;
  /** Deliveries by task, each once: what reached an agent. */
  readonly received: string[] = [];

  constructor(
    private readonly journal: Journal,
    private readonly scriptFor: (start: TaskStart) => Script,
  ) {}

  readonly deliver = (commands: Command[]): void => {
    if (this.stopped) {
      this.waiting.push(...commands);
      return;
    }
    for (const command of commands) this.take(command);
  };

  stop(): void {
    this.stopped = true;
  }

  resume(): void {
    this.stopped = false;
    const commands = this.waiting;
    this.waiting = [];
    this.deliver(commands);
  }

  run(taskId: string): Run {
    const run = this.runs.get(taskId);
    if (run === undefined) throw new Error(`no run of ${taskId}`);
    return run;
  }

  get runCount(): number {
    return this.runs.size;
  }

  private take(command: Command): void {
    void this.journal.commandDone(command.id);
    if (command.kind === 'start') {
      const run = new Run(this.journal, command.start, this.deliver);
      this.runs.set(command.taskId, run);
      const script = this.scriptFor(command.start);
      // One turn of the event loop later, as any worker would.
      setImmediate(() => {
        void script(run).catch((error: unknown) => {
          if (!(error instanceof Ended)) throw error;
        });
      });
      return;
    }
    const run = this.runs.get(command.taskId);
    if (run === undefined) return;
    if (command.kind === 'message') {
      this.received.push(textOf(command.delivery.message));
      run.take(command.delivery);
    } else if (command.kind === 'turn') {
      run.takeTurn();
    } else {
      void run.cancel();
    }
  }
}

export class Run {
  private readonly inbox: Delivery[] = [];
  private wake: () => void = () => undefined;
  private lastKey = '';
  private queue: Promise<unknown> = Promise.resolve();
  private turn: boolean;
  private statusSeq = 0;
  private fragments = 0;
  /** Set by a script that does not react to cancellation. */
  ignoresCancel = false;
  /** Opened by the test: a script waits here. */
  readonly gate = openable();

  constructor(
    private readonly journal: Journal,
    readonly start: TaskStart,
    private readonly deliver: (commands: Command[]) => void,
  ) {
    this.turn = start.turn;
  }

  get taskId(): string {
    return this.start.taskId;
  }

  get text(): string {
    return textOf(this.start.message);
  }

  take(delivery: Delivery): void {
    this.inbox.push(delivery);
    this.wake();
  }

  takeTurn(): void {
    this.turn = true;
    this.wake();
  }

  async cancel(): Promise<void> {
    if (this.ignoresCancel) return;
    await this.record({ kind: 'status', state: 'TASK_STATE_CANCELED' }).catch(() => undefined);
    this.gate.open();
  }

  /** One append at a time, as a run has one publish queue. Waits for the context's turn where it has to. */
  record(...entries: Entry[]): Promise<AppendResult> {
    const next = this.queue.then(() => this.append(entries));
    this.queue = next.catch(() => undefined);
    return next;
  }

  status(state: TaskState, text?: string): Promise<AppendResult> {
    return this.record({
      kind: 'status',
      state,
      ...(text !== undefined && { message: { parts: [{ text }] } }),
    });
  }

  artifact(artifactId: string, text: string): Promise<AppendResult> {
    const artifact = { artifactId, parts: [{ text }] };
    return this.record({ kind: 'artifact', artifact, append: false, lastChunk: true });
  }

  async fragment(artifactId: string, text: string, append: boolean): Promise<void> {
    this.fragments += 1;
    const key = `f${this.fragments}`;
    if (!(await this.journal.appendDeltas([{ taskId: this.taskId, key, artifactId, append, text }]))) {
      throw new Ended();
    }
  }

  /** Pauses until a message comes that was sent after the question. */
  async ask(question: string, state: TaskState = 'TASK_STATE_INPUT_REQUIRED'): Promise<Message> {
    await this.status(state, question);
    const reply = await this.receive((delivery) => delivery.afterSeq >= this.statusSeq);
    await this.status('TASK_STATE_WORKING');
    return reply;
  }

  async receive(fits: (delivery: Delivery) => boolean = () => true): Promise<Message> {
    for (;;) {
      const at = this.inbox.findIndex(fits);
      const [found] = at === -1 ? [] : this.inbox.splice(at, 1);
      if (found !== undefined) {
        this.turn ||= found.turn;
        return found.message;
      }
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  private async append(entries: Entry[]): Promise<AppendResult> {
    for (;;) {
      const result = await this.journal.append({ taskId: this.taskId, prevKey: this.lastKey, entries });
      if (result.outcome === 'turn') {
        this.turn = false;
        while (!this.turn) await new Promise<void>((resolve) => (this.wake = resolve));
        continue;
      }
      this.deliver(result.commands);
      if (result.outcome !== 'recorded') throw new Ended();
      this.lastKey = result.lastKey;
      if (result.statusSeq > 0) this.statusSeq = result.statusSeq;
      return result;
    }
  }
}

function openable() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

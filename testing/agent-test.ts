import { type AgentDefinition, type Content, contentToMessage } from '../core/agent.js';
import { ANONYMOUS } from '../core/caller.js';
import { type Duration, toMillis } from '../core/duration.js';
import { prefixedId } from '../core/ids.js';
import type { TaskStart } from '../core/journal.js';
import { Session } from '../core/session/session.js';
import { newSessionState, type SessionState } from '../core/session/state.js';
import { isInterrupted, isSettled, isTerminal } from '../core/states.js';
import {
  type Message,
  type Metadata,
  type StreamResponse,
  type Task,
  type TaskState,
  textOf,
} from '../core/task.js';
import { MemoryJournal } from './memory-journal.js';
import { MemoryRuntime } from './memory-runtime.js';
import { answeringModels } from './model-answers.js';
import type { AgentTestOptions, LogLine } from './options.js';
import { VirtualTime } from './virtual-time.js';

const START = Date.UTC(2026, 0, 1, 9);

interface Observer {
  matches(state: TaskState): boolean;
  what: string;
  resolve(task: Task): void;
  reject(error: Error): void;
}

/** A task under test. Made by `startAgent`, which shows how to use it. */
export class AgentTest {
  /** Everything that a client's stream would have brought, in order. */
  readonly events: StreamResponse[];
  readonly log: LogLine[] = [];
  private readonly time: VirtualTime;
  private readonly journal: MemoryJournal;
  private readonly runtime: MemoryRuntime;
  private readonly observers = new Set<Observer>();
  private session: Session;
  private messages = 1;
  /** Sequence up to which the test has dealt with the agent's questions. */
  private dealtWith = 0;
  /** Sequence of the newest status. */
  private statusSeq = 1;
  private problem: Error | undefined;

  constructor(
    private readonly agent: AgentDefinition,
    options: AgentTestOptions,
  ) {
    const { now = START, conversation = [], references = [], activities = {} } = options;
    this.time = new VirtualTime(
      now,
      () => !isInterrupted(this.state),
      () => this.onIdle(),
    );
    const taskId = prefixedId('task', now, '00000000-0000-4000-8000-000000000001');
    const contextId = prefixedId('ctx', now, '00000000-0000-4000-8000-000000000001');
    const start: TaskStart = {
      taskId,
      contextId,
      caller: ANONYMOUS,
      agent: agent.code,
      message: { ...this.userMessage(options.message, options.metadata), taskId, contextId },
      options: { ...(options.acceptedOutputModes && { acceptedOutputModes: options.acceptedOutputModes }) },
      visible: (agent.answers ?? 'task') === 'task',
      turn: true,
    };
    this.journal = new MemoryJournal(
      start,
      conversation,
      () => this.time.now(),
      (event, seq) => this.onEvent(event, seq),
    );
    this.events = this.journal.events;
    this.runtime = new MemoryRuntime({
      taskId,
      time: this.time,
      journal: this.journal,
      models: answeringModels(options.model, (error) => this.fail(error)),
      activities,
      references,
      conversation,
      restartAtCheckpoints: options.restartAtCheckpoints ?? true,
      log: (level, message, attributes) =>
        this.log.push({ level, message, ...(attributes && { attributes }) }),
      onProblem: (error) => this.fail(error),
    });
    this.session = new Session(agent, newSessionState(start), this.runtime);
    this.run().catch((error: unknown) => this.fail(error as Error));
  }

  /** As GetTask shows it now. */
  get task(): Task {
    return structuredClone(this.journal.task);
  }

  get state(): TaskState {
    return this.journal.task.status.state;
  }

  /** The direct answer of an agent that answers without a task (A03). */
  get message(): Message | undefined {
    return this.journal.direct;
  }

  /** What the agent has asked so far, as text. */
  get questions(): string[] {
    return this.events.flatMap((event) =>
      'statusUpdate' in event && event.statusUpdate.status.state === 'TASK_STATE_INPUT_REQUIRED'
        ? [textOf(event.statusUpdate.status.message ?? { parts: [] })]
        : [],
    );
  }

  /** Milliseconds since the epoch, as the agent sees them. */
  now(): number {
    return this.time.now();
  }

  /**
   * Resolves as soon as the task is in this state. Rejects when it cannot get there: it ended in another one,
   * or it waits for the test.
   */
  until(state: TaskState): Promise<Task> {
    return this.observe(state, (current) => current === state);
  }

  /** Resolves when the task is terminal, or pauses with a question or request that is new. */
  settled(): Promise<Task> {
    return this.observe('a settled state', isSettled);
  }

  /** Resolves with the finished task, whichever way it ended. */
  done(): Promise<Task> {
    return this.observe('a terminal state', isTerminal);
  }

  /** A message of the user: the answer to a question, or a follow-up while the agent works. */
  reply(content: Content, metadata?: Metadata): void {
    if (isTerminal(this.state)) throw new Error(`reply: the task is over (${this.state})`);
    this.dealWith();
    const message = this.userMessage(content, metadata);
    this.journal.receive(message);
    this.session.receive({
      key: message.messageId,
      message,
      options: {},
      afterSeq: this.journal.lastSeq,
      turn: true,
    });
    this.time.touch();
  }

  /** Gives the authorisation that the agent asks for; of one connector, or of whichever it is. */
  resolveAuth(connector?: string): void {
    this.dealWith();
    this.session.resolveAuth(connector);
    this.time.touch();
  }

  cancel(): void {
    this.dealWith();
    this.session.cancel();
    this.time.touch();
  }

  /**
   * Lets time pass while the agent waits for the test, so that timeouts run out. While it works
   * time passes by itself.
   */
  async elapse(duration: Duration): Promise<void> {
    await this.time.elapse(toMillis(duration));
  }

  /** Lets time pass until the next timeout; false where the agent waits without one. */
  elapseToTimeout(): Promise<boolean> {
    return this.time.elapse('timeout');
  }

  private async run(): Promise<void> {
    while ((await this.session.run()) === 'continue') {
      // As continue-as-new carries it: what is not JSON is lost.
      const carried = JSON.parse(JSON.stringify(this.session.state)) as SessionState;
      this.session = new Session(this.agent, carried, this.runtime);
    }
  }

  private userMessage(content: Content, metadata?: Metadata): Message {
    return {
      messageId: `user-${this.messages++}`,
      role: 'ROLE_USER',
      ...contentToMessage(content, metadata),
    };
  }

  private dealWith(): void {
    if (isInterrupted(this.state)) this.dealtWith = this.statusSeq;
  }

  private observe(what: string, matches: (state: TaskState) => boolean): Promise<Task> {
    return new Promise((resolve, reject) => {
      this.observers.add({ what, matches, resolve, reject });
      this.notify();
      this.time.touch();
    });
  }

  /** Each state is shown to observers, also one that the same write leaves again. */
  private onEvent(event: StreamResponse, seq: number): void {
    if ('statusUpdate' in event) {
      this.statusSeq = seq;
      this.notify(event.statusUpdate.status.state);
    } else if ('message' in event) {
      this.notify();
    }
  }

  private notify(state = this.state): void {
    if (this.problem) {
      this.rejectAll(this.problem);
      return;
    }
    if (this.statusSeq <= this.dealtWith) return;
    for (const observer of this.observers) {
      if (observer.matches(state)) {
        this.observers.delete(observer);
        observer.resolve(this.task);
      } else if (isTerminal(state)) {
        this.observers.delete(observer);
        observer.reject(
          new Error(`the task ended in ${state} and not in ${observer.what}${this.statusText()}`),
        );
      }
    }
  }

  /** Nothing happens any more: whoever waits for something is told why it will not come. */
  private onIdle(): void {
    const waits =
      this.state === 'TASK_STATE_INPUT_REQUIRED'
        ? `asks${this.statusText()}: reply() first`
        : this.state === 'TASK_STATE_AUTH_REQUIRED'
          ? `asks for authorisation${this.statusText()}: resolveAuth() first`
          : `is ${this.state} and waits: for a follow-up that reply() would bring, or for something that does not ` +
            'come from the task context, which is all that an agent may await';
    for (const observer of this.observers) {
      this.observers.delete(observer);
      observer.reject(new Error(`the task cannot reach ${observer.what}: it ${waits}`));
    }
  }

  private statusText(): string {
    const { message } = this.journal.task.status;
    return message ? ` “${textOf(message)}”` : '';
  }

  private fail(error: Error): void {
    this.problem ??= error;
    this.rejectAll(this.problem);
  }

  private rejectAll(error: Error): void {
    for (const observer of this.observers) observer.reject(error);
    this.observers.clear();
  }
}

import { type AgentDefinition, contentToMessage } from '../agent.js';
import type { AgentMessage, AppendResult, Delivery, Entry } from '../journal.js';
import type { Message, Metadata, TaskState } from '../task.js';
import { AgentEnding, AuthExpired, endingOf, INTERNAL_ERROR, reportOf, TaskClosed } from './endings.js';
import { createTaskContext } from './context.js';
import { Publisher } from './publisher.js';
import { readReply } from './reply.js';
import type { SessionRuntime } from './runtime.js';
import { remember, type SessionState } from './state.js';

/** How a run ended: the task is over, or it goes on in a fresh history from `state`. */
export type SessionEnd = 'closed' | 'continue';

/** Answer of the workflow's `task` query. */
export interface SessionView {
  taskId: string;
  contextId: string;
  agent: string;
  state: TaskState;
  /** Messages that the agent has not taken yet. */
  unread: number;
  canceling: boolean;
}

/**
 * One run of a task. The workflow's handlers call it with what comes from outside (`receive`, `resolveAuth`,
 * `cancel`, `turn`); the agent's code acts through the {@link createTaskContext} on top of it. All state that must
 * survive is in `state`.
 */
export class Session {
  readonly publisher: Publisher;
  /** Agent calls in flight: a checkpoint hands over only when it is the only one. */
  busy = 0;
  readonly background = new Map<number, string>();
  private canceling = false;
  private handingOver = false;
  private asking = false;
  /** The last pause, on which the next one waits. */
  private pauses: Promise<unknown> | undefined;
  /** Connectors whose authorisation was resolved; `*` stands for any. */
  private readonly authorised = new Set<string>();

  constructor(
    readonly agent: AgentDefinition,
    readonly state: SessionState,
    readonly runtime: SessionRuntime,
  ) {
    this.publisher = new Publisher(runtime, state);
  }

  // ---- what comes from outside

  /** A follow-up. False where it came before. */
  receive(delivery: Delivery): boolean {
    if (!remember(this.state, delivery.key)) return false;
    this.state.inbox.push(delivery);
    return true;
  }

  /** A reply from another Temporal client: the journal does not have it yet. */
  reply(signalled: unknown): void {
    const message = readReply(signalled);
    if (!message) {
      this.runtime.log('warn', 'a reply signal holds no message: messageId and parts are needed');
      return;
    }
    const delivery: Delivery = {
      key: `signal:${message.messageId}`,
      message,
      options: {},
      // A question that is out, or on its way out, is what such a client replies to.
      afterSeq: this.asking ? Number.MAX_SAFE_INTEGER : 0,
      turn: false,
    };
    if (this.publisher.closed || !this.receive(delivery)) return;
    this.publisher.publish([{ kind: 'received', message }]).catch(() => undefined);
  }

  resolveAuth(connector = '*'): void {
    this.authorised.add(connector);
  }

  cancel(): void {
    this.canceling = true;
  }

  turn(): void {
    this.publisher.turnGranted();
  }

  /** True where a message can no longer be taken: the update validator's question. */
  get closed(): boolean {
    return this.publisher.closed;
  }

  /** True where nothing that the agent still does is recorded. */
  get over(): boolean {
    return this.canceling || this.closed;
  }

  view(): SessionView {
    const { start, state, inbox } = this.state;
    return {
      taskId: start.taskId,
      contextId: start.contextId,
      agent: start.agent,
      state,
      unread: inbox.length,
      canceling: this.canceling,
    };
  }

  // ---- the run

  async run(): Promise<SessionEnd> {
    let finished = false;
    const work = this.runtime.scope(() => this.runAgent());
    const finish = (): void => {
      finished = true;
    };
    work.result.then(finish, finish);
    for (;;) {
      await this.runtime.until(() => finished || this.canceling || this.closed || this.handingOver);
      if (this.closed) {
        work.cancel();
        return 'closed';
      }
      if (this.canceling) {
        work.cancel();
        await this.end('TASK_STATE_CANCELED');
        return 'closed';
      }
      if (finished) {
        await work.result;
        return 'closed';
      }
      // A checkpoint: what was published before it must be recorded before the history is left.
      await this.runtime.until(() => this.publisher.idle || this.canceling);
      if (!this.canceling && !this.closed) return 'continue';
    }
  }

  /** Gives the run up to a fresh history; the caller's promise never resolves in this one. */
  handOver(): Promise<never> {
    this.handingOver = true;
    return new Promise<never>(() => undefined);
  }

  private async runAgent(): Promise<void> {
    try {
      const first = this.state.checkpoint === undefined;
      if (first && !this.state.start.turn) {
        await this.publisher.publish([{ kind: 'status', state: 'TASK_STATE_WORKING' }]);
      } else if (first) {
        this.publisher.showWorking();
      }
      await this.agent.run(createTaskContext(this));
      if (this.background.size > 0) await this.backgroundDone();
      if (!this.closed) await this.publisher.publish(this.terminal('TASK_STATE_COMPLETED'));
    } catch (error) {
      // After a cancel the agent's code is stopped by errors, and what it threw says nothing.
      if (!this.canceling && !(error instanceof TaskClosed)) await this.endBy(error);
    }
  }

  private async endBy(error: unknown): Promise<void> {
    const ending = endingOf(error);
    // What the agent decided itself is no fault that operators should look at.
    if (!(error instanceof AgentEnding))
      this.runtime.log('error', 'agent failed', { error: reportOf(error) });
    try {
      await this.end(ending.state, contentToMessage(ending.content));
    } catch (fault) {
      // The agent's reason cannot be recorded, being no JSON perhaps; the task ends all the same.
      this.runtime.log('error', 'the reason of an ending was dropped', { error: reportOf(fault) });
      await this.end('TASK_STATE_FAILED', contentToMessage(INTERNAL_ERROR));
    }
  }

  private async end(
    state: Extract<TaskState, 'TASK_STATE_CANCELED' | 'TASK_STATE_FAILED' | 'TASK_STATE_REJECTED'>,
    message?: AgentMessage,
  ): Promise<void> {
    try {
      await this.publisher.publishFinal(this.terminal(state, message));
    } catch (error) {
      // Somebody else's terminal state came first, and stays.
      if (!(error instanceof TaskClosed)) throw error;
    }
  }

  // ---- what the task context builds on

  /** The entries that end the task in `state`, with the usage of all its model calls (A17). */
  terminal(state: TaskState, message?: AgentMessage, metadata?: Metadata): Entry[] {
    const { usage } = this.state;
    const all: Metadata = { ...metadata, ...(usage && { $usage: { ...usage } }) };
    return [
      ...(usage ? [{ kind: 'metadata', metadata: { $usage: { ...usage } } } as const] : []),
      {
        kind: 'status',
        state,
        ...(message && { message }),
        ...(Object.keys(all).length > 0 && { metadata: all }),
      },
    ];
  }

  /** INPUT_REQUIRED until a reply that was sent after the question was visible. */
  ask(question: Entry & { kind: 'status' }, millis: number | undefined): Promise<Message | undefined> {
    return this.oneAtATime(() => this.askNow(question, millis));
  }

  /** AUTH_REQUIRED until authorisation; throws {@link AuthExpired}. */
  requireAuth(connector: string, request: Entry & { kind: 'status' }, millis: number): Promise<void> {
    return this.oneAtATime(() => this.requireAuthNow(connector, request, millis));
  }

  /** A task shows one thing that it waits for: parallel steps pause it one after the other. */
  private oneAtATime<T>(pause: () => Promise<T>): Promise<T> {
    const paused = this.pauses?.then(pause) ?? pause();
    this.pauses = paused.catch(() => undefined);
    return paused;
  }

  private async askNow(question: Entry & { kind: 'status' }, millis?: number): Promise<Message | undefined> {
    this.asking = true;
    try {
      const { statusSeq } = await this.pause(question);
      const answers = (delivery: Delivery): boolean => delivery.afterSeq >= statusSeq;
      await this.runtime.until(() => this.state.inbox.some(answers), millis);
      const at = this.state.inbox.findIndex(answers);
      const [delivery] = at < 0 ? [] : this.state.inbox.splice(at, 1);
      await this.resume(delivery?.turn ?? false);
      return delivery?.message;
    } finally {
      this.asking = false;
    }
  }

  private async requireAuthNow(
    connector: string,
    request: Entry & { kind: 'status' },
    millis: number,
  ): Promise<void> {
    this.authorised.clear();
    await this.pause(request);
    const resolved = await this.runtime.until(
      () => this.authorised.has('*') || this.authorised.has(connector),
      millis,
    );
    if (!resolved) throw new AuthExpired(connector);
    await this.resume(false);
  }

  /** A settled status closes what is open (B04): the journal does it with the same write. */
  private pause(status: Entry & { kind: 'status' }): Promise<AppendResult> {
    this.state.openArtifacts = [];
    return this.publisher.publish([status]);
  }

  /** Back to WORKING; waits where the context's turn is not certain (A13). */
  private async resume(turn: boolean): Promise<void> {
    if (turn) this.publisher.showWorking();
    else await this.publisher.publish([{ kind: 'status', state: 'TASK_STATE_WORKING' }]);
  }

  backgroundDone(): Promise<unknown> {
    return this.runtime.until(() => this.background.size === 0);
  }
}

import { AsyncLocalStorage } from 'node:async_hooks';
import { ActivityFailure, ApplicationFailure, CancelledFailure, RetryState } from '@temporalio/common';
import { generateTurn, type GenerateDeps } from '../activities/model/generate.js';
import type { ActivityContext } from '../core/agent.js';
import type { Append, AppendResult } from '../core/journal.js';
import type { SessionRuntime } from '../core/session/runtime.js';
import type { Json, Message, Task } from '../core/task.js';
import type { VirtualTime } from './virtual-time.js';

/** As workflows give to an activity when the agent's author says nothing else. */
const ATTEMPTS = { activity: 5, generate: 10 };
/** Temporal's default backoff: one second, doubled each time. */
const FIRST_RETRY_MILLIS = 1_000;

export interface MemoryRuntimeOptions {
  taskId: string;
  time: VirtualTime;
  journal: GenerateDeps['journal'] & { append(append: Append): Promise<AppendResult> };
  models: GenerateDeps['models'];
  /** By the names of an `*.activities.ts` file. */
  activities: Record<string, (input: never, context: ActivityContext) => unknown>;
  references: Task[];
  conversation: Message[];
  restartAtCheckpoints: boolean;
  log: SessionRuntime['log'];
  /** The test itself is at fault, not the agent. */
  onProblem(error: Error): void;
}

/** Something that is under way and that a cancel stops. */
type Running = (reason: CancelledFailure) => void;
interface Scope {
  cancelled: CancelledFailure | undefined;
  running: Set<Running>;
}

/**
 * Temporal's part in a test: memory, virtual time, and activities that are plain calls with Temporal's
 * retries.
 */
export class MemoryRuntime implements SessionRuntime {
  private readonly scopes = new AsyncLocalStorage<Scope | undefined>();
  private uuids = 0;
  private calls = 0;

  constructor(private readonly options: MemoryRuntimeOptions) {}

  now(): number {
    return this.options.time.now();
  }

  /** Counted, so that a test sees the same ids in every run. */
  uuid(): string {
    this.uuids += 1;
    return `00000000-0000-4000-8000-${this.uuids.toString(16).padStart(12, '0')}`;
  }

  publish(append: Append): Promise<AppendResult> {
    return this.options.time.during(() => this.options.journal.append(structuredClone(append)));
  }

  restore(): Promise<void> {
    return Promise.resolve();
  }

  generate: SessionRuntime['generate'] = (call) => {
    const turnKey = this.nextCallKey();
    return this.attempts('generate', ATTEMPTS.generate, (number, signal) =>
      generateTurn(this.options, structuredClone(call), { number, turnKey, signal }),
    );
  };

  activity: SessionRuntime['activity'] = (name, input, { maximumAttempts = ATTEMPTS.activity }) => {
    const run = this.options.activities[name.slice(name.indexOf('.') + 1)];
    if (!run) {
      const given = Object.keys(this.options.activities).join(', ') || 'none';
      const error = new Error(`the test gives no activity '${name}'; it gives: ${given}`);
      this.options.onProblem(error);
      throw error;
    }
    const idempotencyKey = this.nextCallKey();
    return this.attempts(name, maximumAttempts, async (attempt, signal) => {
      const context: ActivityContext = {
        taskId: this.options.taskId,
        signal,
        attempt,
        idempotencyKey,
        read: (message) => Promise.resolve(message),
      };
      return asJson(await run(asJson(input) as never, context));
    });
  };

  readMessage(): Promise<Message> {
    return Promise.reject(new Error('in a test every message holds its content'));
  }

  readTasks(taskIds: string[]): Promise<Task[]> {
    return Promise.resolve(this.options.references.filter((task) => taskIds.includes(task.id)));
  }

  readConversation(): Promise<Message[]> {
    return Promise.resolve(this.options.conversation);
  }

  async sleep(millis: number): Promise<void> {
    await this.until(() => false, millis);
  }

  until(predicate: () => boolean, millis?: number): Promise<boolean> {
    const wait = this.options.time.until(predicate, millis);
    return this.cancellable(wait.result, () => wait.drop());
  }

  scope(work: () => Promise<void>): { result: Promise<void>; cancel(): void } {
    const scope: Scope = { cancelled: undefined, running: new Set() };
    const cancel = (): void => {
      scope.cancelled ??= new CancelledFailure('Workflow cancelled');
      for (const stop of scope.running) stop(scope.cancelled);
      this.options.time.touch();
    };
    return { result: this.scopes.run(scope, work), cancel };
  }

  shield<T>(work: () => Promise<T>): Promise<T> {
    return this.scopes.run(undefined, work);
  }

  historyFull(): boolean {
    return this.options.restartAtCheckpoints;
  }

  log: SessionRuntime['log'] = (...args) => this.options.log(...args);

  private nextCallKey(): string {
    this.calls += 1;
    return `test/${this.calls}`;
  }

  /**
   * An activity as Temporal runs it: tried again with growing pauses, aborted when its scope is cancelled.
   */
  private async attempts<T>(
    name: string,
    maximum: number,
    run: (attempt: number, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const abort = new AbortController();
      const cancelled = this.scopes.getStore()?.cancelled;
      if (cancelled) throw cancelled;
      try {
        const work = this.options.time.during(() => run(attempt, abort.signal));
        return await this.cancellable(work, (reason) => abort.abort(reason));
      } catch (error) {
        if (error instanceof CancelledFailure) throw error;
        const nonRetryable = error instanceof ApplicationFailure && error.nonRetryable === true;
        if (nonRetryable || attempt >= maximum) throw activityFailure(name, error, nonRetryable);
        const wait: unknown = error instanceof ApplicationFailure ? error.nextRetryDelay : undefined;
        await this.sleep(typeof wait === 'number' ? wait : FIRST_RETRY_MILLIS * 2 ** (attempt - 1));
      }
    }
  }

  /** The promise, or a rejection as soon as the scope of the calling code is cancelled. */
  private cancellable<T>(promise: Promise<T>, stop: Running): Promise<T> {
    const scope = this.scopes.getStore();
    if (!scope) return promise;
    return new Promise<T>((resolve, reject) => {
      const onCancel: Running = (reason) => {
        scope.running.delete(onCancel);
        stop(reason);
        reject(reason);
      };
      scope.running.add(onCancel);
      promise.then(resolve, reject).finally(() => scope.running.delete(onCancel));
      if (scope.cancelled) onCancel(scope.cancelled);
    });
  }
}

/** As an agent sees a failed activity: the error itself is the cause. */
function activityFailure(name: string, error: unknown, nonRetryable: boolean): ActivityFailure {
  const cause = error instanceof Error ? error : new Error(String(error));
  const state = nonRetryable ? RetryState.NON_RETRYABLE_FAILURE : RetryState.MAXIMUM_ATTEMPTS_REACHED;
  return new ActivityFailure('Activity task failed', name, '1', state, undefined, cause);
}

/** What crosses Temporal crosses as JSON: a Date arrives as text, a Map as `{}`. */
function asJson(value: unknown): Json | undefined {
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as Json);
}

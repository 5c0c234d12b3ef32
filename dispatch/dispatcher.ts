import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Command, Journal } from '../core/journal.js';
import { isTerminal } from '../core/states.js';
import type { TemporalConnection } from './connection.js';
import { classifyDeliveryFailure } from './errors.js';
import { Slots } from './slots.js';
import { tellTemporal } from './task-client.js';

const POLL_EVERY = 500;
/** Younger commands are still on their way by `deliver`. */
const POLL_OLDER_THAN = 1_000;
const POLL_BATCH = 500;
const POLL_BATCH_MAX = 5_000;
/** What callers read where Temporal does not take a message, which only one of excessive size can cause. */
const REFUSED = 'The message could not be processed';
const BACKOFF = [500, 1_000, 2_000, 5_000];

export interface DispatcherOptions {
  journal: Pick<Journal, 'pendingCommands' | 'commandDone' | 'readAny' | 'closeTask'>;
  temporal: TemporalConnection;
  taskQueue: string;
  log: Logger;
  /** Starts and signals under way at once. Default 200. */
  concurrency?: number;
  /** Updates under way at once; apart, since each may wait for a worker. Default 100. */
  updateConcurrency?: number;
}

/**
 * Brings the journal's commands to Temporal: the outbox's other end. `deliver` tries at once; whatever
 * fails, or was left behind by a process that died, is found in the journal and tried again until it is
 * done, so nothing that was accepted is lost. Every command may arrive twice and takes effect once: starts
 * by workflow id, messages by update id, signals because the session bears repetition.
 *
 * A task's start and messages go one after another, in order; cancel and turn wait only for the start.
 * Several processes may dispatch from one journal.
 */
export class Dispatcher {
  readonly #starts: Slots;
  readonly #updates: Slots;
  /** Commands under way here, so that the poll does not take them up again. */
  readonly #underWay = new Map<number, Promise<boolean>>();
  /** Last command of each lane: resolves true when delivered. */
  readonly #lanes = new Map<string, Promise<boolean>>();
  /** Starts under way, by task: signals wait for theirs. */
  readonly #starting = new Map<string, Promise<boolean>>();
  /** Lanes whose last attempt failed: left to the outbox until then, so that order is kept. */
  readonly #resting = new Map<string, { until: number; failures: number }>();
  /** Temporal did not answer: nothing is tried until a probe gets through. */
  #unreachable = false;
  readonly #closing = new AbortController();
  #polling: Promise<void> | undefined;

  constructor(private readonly options: DispatcherOptions) {
    this.#starts = new Slots(options.concurrency ?? 200);
    this.#updates = new Slots(options.updateConcurrency ?? 100);
  }

  /** Begins to empty the outbox. */
  start(): this {
    this.#polling ??= this.#poll();
    return this;
  }

  /** Hands commands over in the background. Never throws: what fails stays in the outbox. */
  deliver(commands: readonly Command[]): void {
    if (this.#unreachable || !this.options.temporal.client) return;
    // After what the caller does next in this turn of the event loop: it answers its client first.
    setImmediate(() => {
      for (const command of commands) {
        if (!this.#resting.has(laneOf(command))) this.#enqueue(command, true);
      }
    });
  }

  /** Whether Temporal answers; for the readiness probe. */
  ready(): Promise<boolean> {
    return this.options.temporal.answers();
  }

  /** Takes no more, and waits up to `within` milliseconds for what is under way. */
  async close(within = 2_000): Promise<void> {
    this.#closing.abort();
    const drained = Promise.all([this.#polling, ...this.#underWay.values()]);
    await Promise.race([drained, delay(within, undefined, { ref: false })]);
  }

  async #poll(): Promise<void> {
    const { journal, temporal, log } = this.options;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        if (this.#unreachable && (await temporal.answers())) {
          this.#unreachable = false;
          log.info('Temporal answers again');
        }
        if (!this.#unreachable && temporal.client) {
          const limit = Math.min(this.#underWay.size + this.#resting.size + POLL_BATCH, POLL_BATCH_MAX);
          const found = await journal.pendingCommands(new Date(Date.now() - POLL_OLDER_THAN), limit);
          this.#forgetRested(found);
          for (const command of found) {
            if ((this.#resting.get(laneOf(command))?.until ?? 0) <= Date.now()) this.#enqueue(command, false);
          }
        }
      } catch (error) {
        log.error({ err: error }, 'reading the outbox failed');
      }
      await delay(POLL_EVERY, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** A lane whose commands another process has delivered meanwhile needs no memory here. */
  #forgetRested(pending: readonly Command[]): void {
    const now = Date.now();
    const lanes = new Set(pending.map(laneOf));
    for (const [lane, { until }] of this.#resting) {
      if (until <= now && !lanes.has(lane)) this.#resting.delete(lane);
    }
  }

  #enqueue(command: Command, fresh: boolean): void {
    if (this.#closing.signal.aborted || this.#underWay.has(command.id)) return;
    const lane = laneOf(command);
    const before = this.#lanes.get(lane) ?? this.#starting.get(command.taskId) ?? Promise.resolve(true);
    const slots = command.kind === 'message' ? this.#updates : this.#starts;
    const attempt = before.then((delivered) =>
      delivered && !this.#closing.signal.aborted ? slots.run(() => this.#attempt(command, fresh)) : false,
    );
    this.#underWay.set(command.id, attempt);
    this.#lanes.set(lane, attempt);
    if (command.kind === 'start') this.#starting.set(command.taskId, attempt);
    void attempt.finally(() => {
      this.#underWay.delete(command.id);
      if (command.kind === 'start') this.#starting.delete(command.taskId);
      if (this.#lanes.get(lane) === attempt) this.#lanes.delete(lane);
    });
  }

  /** True when Temporal has it, or when nothing is left to tell. Never rejects. */
  async #attempt(command: Command, fresh: boolean): Promise<boolean> {
    const { journal, taskQueue, log, temporal } = this.options;
    const { taskId, kind } = command;
    const { client } = temporal;
    if (!client || this.#unreachable) return false;
    try {
      // A task that was cancelled while Temporal was away is not started any more.
      const needless = kind === 'start' && !fresh && (await this.#isOver(taskId));
      if (!needless && !(await this.#tell(client, taskQueue, command))) return false;
      await journal.commandDone(command.id);
      this.#resting.delete(laneOf(command));
      return true;
    } catch (error) {
      this.#rest(command);
      log.error({ taskId, command: kind, err: error }, 'the journal failed while dispatching');
      return false;
    }
  }

  async #tell(
    client: Parameters<typeof tellTemporal>[0],
    taskQueue: string,
    command: Command,
  ): Promise<boolean> {
    const { log, journal } = this.options;
    const { taskId, kind } = command;
    try {
      await tellTemporal(client, taskQueue, command);
      return true;
    } catch (error) {
      const failure = classifyDeliveryFailure(error);
      switch (failure) {
        case 'done':
          return true;
        case 'over':
          // Nobody waits to try this webhook again.
          if (kind === 'wakePush') return true;
          // Not started yet, or ended behind our back (the reconciler closes the row): either way later.
          if (kind !== 'retryPush' && (await this.#isOver(taskId))) return true;
          break;
        case 'refused':
          log.error({ taskId, command: kind, err: error }, 'Temporal refused a command');
          if (isAboutPush(command)) return true;
          this.deliver((await journal.closeTask(taskId, 'TASK_STATE_FAILED', REFUSED)).commands);
          return true;
        case 'unreachable':
          if (!this.#unreachable)
            log.warn({ err: error }, 'Temporal does not answer; commands wait in the outbox');
          this.#unreachable = true;
          return false;
        case 'busy':
      }
      if (this.#rest(command) === BACKOFF.length) {
        log.warn({ taskId, command: kind, err: error }, 'a command is still not delivered; tried again');
      }
      return false;
    }
  }

  /** Leaves the command's lane to the outbox for a while; gives the number of failures in a row. */
  #rest(command: Command): number {
    const lane = laneOf(command);
    const failures = this.#resting.get(lane)?.failures ?? 0;
    const pause = BACKOFF[Math.min(failures, BACKOFF.length - 1)] ?? POLL_EVERY;
    this.#resting.set(lane, { until: Date.now() + pause, failures: failures + 1 });
    return failures + 1;
  }

  async #isOver(taskId: string): Promise<boolean> {
    const stored = await this.options.journal.readAny(taskId, { historyLength: 0, artifacts: false });
    return stored === undefined || isTerminal(stored.task.status.state);
  }
}

function isAboutPush(command: Command): command is Command & { pushId: string } {
  return command.kind === 'retryPush' || command.kind === 'wakePush';
}

/**
 * Start and messages share a lane; a signal has one of its own, so that a cancel never waits for messages. So
 * has each webhook.
 */
function laneOf(command: Command): string {
  if (isAboutPush(command)) return command.pushId;
  return command.kind === 'start' || command.kind === 'message'
    ? command.taskId
    : `${command.taskId}/signals`;
}

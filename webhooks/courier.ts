import { randomUUID, type KeyObject } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Command, Journal, StoredEvent } from '../core/journal.js';
import { deliveryId, isPushed, type PushClaim, type PushLease } from '../core/push.js';
import type { Codec } from '../wire/codec.js';
import type { DialectName } from '../wire/dialects.js';
import { webhookBody } from '../wire/webhooks.js';
import { deliveryHeaders } from './headers.js';
import { nextPause, type Schedule } from './schedule.js';
import type { Outgoing, Sent } from './sender.js';

/** A lease outlives its holder by this long at most: then somebody else goes on. */
const LEASE = 5_000;
const EXTEND_EVERY = 1_500;
/** Events read at once. */
const BATCH = 256;
const POLL_EVERY = 500;
const POLL_BATCH = 1_000;
/** A retry that is overdue by this long was lost with its workflow. */
const OVERDUE = 120_000;
const LOOK_FOR_OVERDUE_EVERY = 30_000;

export interface CourierDeps {
  journal: Journal;
  /** See `Sender.send`. */
  send(outgoing: Outgoing, signal: AbortSignal): Promise<Sent>;
  codecs: Record<DialectName, Codec>;
  schedule: Schedule;
  /** Ed25519; deliveries are signed with it. */
  signingKey?: KeyObject | undefined;
  /** Hands commands to Temporal in the background. */
  deliver(commands: Command[]): void;
  log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
  /** Milliseconds since the epoch. */
  clock?: () => number;
}

/** What a retry came to; without a time there is nothing left to do. */
export interface RetryOutcome {
  /** Milliseconds until the next attempt. */
  afterMillis?: number;
}

type Outcome = { kind: 'over' | 'busy' } | { kind: 'later'; at: number };

/**
 * Delivers what is due to the receivers of webhooks (C05), each one's events in order and one at a time. A
 * receiver that answers costs Temporal nothing: its row in the journal is outbox, cursor and lock. One that
 * fails becomes Temporal's, whose workflow calls {@link Courier.retry} until it has caught up or is given up.
 */
export class Courier {
  readonly #deps: CourierDeps;
  readonly #clock: () => number;
  readonly #closing = new AbortController();
  readonly #underWay = new Map<string, Promise<void>>();
  /** Woken while under way: there may be more by now. */
  readonly #again = new Set<string>();
  #polling: Promise<void> | undefined;

  constructor(deps: CourierDeps) {
    this.#deps = deps;
    this.#clock = deps.clock ?? Date.now;
    setMaxListeners(0, this.#closing.signal);
  }

  /** Begins to look for what nobody was told of, or a process left behind that died. */
  start(): this {
    this.#polling ??= this.#poll();
    return this;
  }

  /** Delivers in the background. Never throws: what is not delivered stays due in the journal. */
  wake(pushIds: readonly string[]): void {
    for (const pushId of pushIds) {
      if (this.#closing.signal.aborted) return;
      if (this.#underWay.has(pushId)) {
        this.#again.add(pushId);
        continue;
      }
      const work = this.#deliver(pushId).finally(() => {
        this.#underWay.delete(pushId);
        if (this.#again.delete(pushId)) this.wake([pushId]);
      });
      this.#underWay.set(pushId, work);
    }
  }

  /** Another attempt at a receiver that has failed. Throws what the journal throws, and when aborted. */
  async retry(pushId: string, signal: AbortSignal): Promise<RetryOutcome> {
    const outcome = await this.#drain(pushId, 'retry', signal);
    signal.throwIfAborted();
    switch (outcome.kind) {
      case 'over':
        return {};
      // Its holder has died, or is about to end.
      case 'busy':
        return { afterMillis: LEASE };
      case 'later':
        return { afterMillis: Math.max(0, outcome.at - this.#clock()) };
    }
  }

  /** Stops at once: an attempt that is cut off is made again elsewhere. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([this.#polling, ...this.#underWay.values()]);
  }

  async #deliver(pushId: string): Promise<void> {
    try {
      await this.#drain(pushId, 'first', this.#closing.signal);
    } catch (error) {
      if (!this.#closing.signal.aborted) {
        this.#deps.log.error({ pushId, err: error }, 'delivering a webhook failed; it stays due');
      }
    }
  }

  async #poll(): Promise<void> {
    const { journal, deliver, log } = this.#deps;
    const { signal } = this.#closing;
    for (let looked = 0; !signal.aborted;) {
      try {
        const due = await journal.duePushes(this.#underWay.size + POLL_BATCH);
        this.wake(due.filter((pushId) => !this.#underWay.has(pushId)));
        if (this.#clock() - looked >= LOOK_FOR_OVERDUE_EVERY) {
          looked = this.#clock();
          const commands = await journal.restartPushes(new Date(looked - OVERDUE));
          if (commands.length > 0) deliver(commands);
        }
      } catch (error) {
        if (!signal.aborted) log.error({ err: error }, 'looking for due webhooks failed');
      }
      await delay(POLL_EVERY, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Delivers until nothing is due, the receiver fails, or the lease is lost. */
  async #drain(pushId: string, attempt: 'first' | 'retry', signal: AbortSignal): Promise<Outcome> {
    const { journal } = this.#deps;
    const holder = randomUUID();
    const lease = (): PushLease => ({ holder, until: this.#clock() + LEASE });
    const claimed = await journal.claimPush(pushId, lease(), attempt);
    if ('outcome' in claimed) {
      return claimed.outcome === 'early'
        ? { kind: 'later', at: claimed.nextAttemptAt }
        : { kind: claimed.outcome };
    }
    // Ends an attempt under way when its config is gone, or somebody else delivers by now.
    const stop = new AbortController();
    const onAbort = (): void => stop.abort();
    signal.addEventListener('abort', onAbort);
    const extending = setInterval(() => {
      journal.extendPush(pushId, lease()).then((held) => {
        if (!held) stop.abort();
      }, noMatter);
    }, EXTEND_EVERY);
    try {
      signal.throwIfAborted();
      let claim: PushClaim | 'over' = claimed;
      while (claim !== 'over') {
        const next = await this.#next(claim);
        if (next === undefined) return { kind: 'over' };
        for (const event of next) {
          const sent = await this.#post(claim, event, stop.signal);
          if (!sent.ok) return await this.#fail(claim, lease(), sent);
          claim = await journal.confirmPush(pushId, lease(), event.seq);
          if (claim === 'over') break;
        }
      }
      return { kind: 'over' };
    } catch (error) {
      if (stop.signal.aborted && !signal.aborted) return { kind: 'over' };
      await journal.yieldPush(pushId, lease()).catch(noMatter);
      throw error;
    } finally {
      clearInterval(extending);
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** The next events that the receiver is told of, at least one; undefined where the task is gone. */
  async #next({ config: { taskId }, deliveredSeq }: PushClaim): Promise<StoredEvent[] | undefined> {
    const { journal } = this.#deps;
    for (let after = deliveredSeq; ;) {
      const events = await journal.readEvents(taskId, after, BATCH);
      const pushed = events.filter(({ event }) => isPushed(event));
      if (pushed.length > 0) return pushed;
      const last = events.at(-1);
      if (last !== undefined) {
        after = last.seq;
        continue;
      }
      // Retention was faster than the receiver: the task itself says what came of it.
      const stored = await journal.readAny(taskId);
      return stored && [{ taskId, seq: stored.lastSeq, event: { task: stored.task } }];
    }
  }

  async #post(claim: PushClaim, { taskId, seq, event }: StoredEvent, signal: AbortSignal): Promise<Sent> {
    const { journal, codecs, send, signingKey } = this.#deps;
    const content = await webhookBody(codecs, claim.dialect, {
      event,
      task: async () => (await journal.readTaskAt(taskId, seq)) ?? (await journal.readAny(taskId))?.task,
      chosenId: () => journal.aliasOf(taskId),
    });
    // The dialect has no word for it.
    if (content === undefined) return { ok: true };
    const { pushId, config } = claim;
    const id = deliveryId(pushId, seq);
    const headers = deliveryHeaders(config, content, { id, now: this.#clock(), signingKey });
    return send({ url: config.url, headers, body: content.body }, signal);
  }

  async #fail(claim: PushClaim, lease: PushLease, sent: Sent & { ok: false }): Promise<Outcome> {
    const { journal, schedule, deliver, log } = this.#deps;
    const { pushId, config, attempts, failingSince } = claim;
    const now = this.#clock();
    const pause =
      sent.gone === true
        ? undefined
        : nextPause(schedule, { attempts, failingSince, now, retryAfter: sent.retryAfter });
    const { reason } = sent;
    if (pause === undefined) {
      await journal.failPush(pushId, lease, { reason });
      log.warn({ pushId, taskId: config.taskId, attempts: attempts + 1, reason }, 'a webhook was given up');
      return { kind: 'over' };
    }
    const commands = await journal.failPush(pushId, lease, { reason, nextAttemptAt: now + pause });
    if (commands.length > 0) deliver(commands);
    return { kind: 'later', at: now + pause };
  }
}

/** The lease runs out by itself. */
function noMatter(): void {}

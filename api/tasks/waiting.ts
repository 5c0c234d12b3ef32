import type { AcceptedSend, JournalAcceptance, JournalReads, StoredTask } from '../../core/journal.js';
import { isSettled, isTerminal } from '../../core/states.js';
import type { StreamResponse } from '../../core/task.js';
import type { EventBatch, Hub } from '../../journal/hub.js';
import type { ApiSettings } from '../settings.js';

export interface WaitingDeps {
  journal: JournalReads & Pick<JournalAcceptance, 'reveal'>;
  hub: Hub;
  settings: ApiSettings;
  /** Aborted at shutdown: waits end and are answered with what there is. */
  stopping: AbortSignal;
}

/** The row without what it carries: cheap to read. */
const BARE = { historyLength: 0, artifacts: false } as const;

/** Whether the event brings its task to a terminal or interrupted state. */
export function settles(event: StreamResponse): boolean {
  return 'statusUpdate' in event && isSettled(event.statusUpdate.status.state);
}

/**
 * Waits until the send is settled: by the first settling event after its message was recorded (A14), so
 * never by the question that it answers. Also returns when the client goes, at shutdown, at the
 * blocking limit, and when no worker takes the message up within `workerWaitMs` (F05): the caller reads the
 * task as it is.
 */
export async function untilSettled(
  deps: WaitingDeps,
  accepted: AcceptedSend,
  { signal, workerWaitMs }: { signal: AbortSignal; workerWaitMs: number },
): Promise<void> {
  const { journal, settings } = deps;
  const { taskId } = accepted;
  const after = await settlingSince(journal, accepted);
  if (after === undefined) return;

  const limit = performance.now() + settings.blockingLimitMs;
  let look = performance.now() + workerWaitMs;
  let queued = false;
  await follow(deps, { taskId, after, signal }, async (next) => {
    for (;;) {
      const news = await next(Math.min(look, limit));
      if (news === 'over') return;
      if (news !== 'due') {
        if (news.some(({ event }) => settles(event))) return;
        look = Infinity;
        continue;
      }
      if (performance.now() >= limit) return;

      const now = await journal.readAny(taskId, BARE);
      if (now === undefined || isTerminal(now.task.status.state)) return;
      const working = now.task.status.state === 'TASK_STATE_WORKING';
      // Waiting for a turn is not waiting for a worker; once it is granted the time starts anew.
      if (!working && !now.waitingForTurn && !queued) return;
      queued = now.waitingForTurn;
      look = working ? Infinity : performance.now() + settings.workerWaitMs;
    }
  });
}

/**
 * The sequence after which a settling event ends the wait; undefined where nothing is to be waited for.
 * A repeated send waits for the task as it is now (A20): if it works, until it next settles.
 */
async function settlingSince(journal: JournalReads, accepted: AcceptedSend): Promise<number | undefined> {
  // A message does not authorise, so its sender gets the paused task at once (A15).
  if (accepted.state === 'TASK_STATE_AUTH_REQUIRED') return undefined;
  if (!accepted.duplicate) return accepted.seq;
  const now = await journal.readAny(accepted.taskId, BARE);
  if (now === undefined || isTerminal(now.task.status.state)) return undefined;
  return isSettled(now.task.status.state) ? accepted.seq : now.lastSeq;
}

/**
 * Holds a send to an agent that may answer directly until its first act: a direct message, or anything
 * that shows the task. After `holdMs`, and at shutdown, the task is shown as it is (A03). Undefined when the
 * client went, which leaves the row as it is.
 */
export async function untilFirstAct(
  deps: WaitingDeps,
  accepted: AcceptedSend,
  { signal, holdMs }: { signal: AbortSignal; holdMs: number },
): Promise<StoredTask | undefined> {
  const { journal } = deps;
  const { taskId } = accepted;
  const end = performance.now() + holdMs;
  return follow(deps, { taskId, after: accepted.seq, signal }, async (next) => {
    for (;;) {
      const stored = await journal.readAny(taskId, BARE);
      if (stored === undefined || stored.visible || stored.message !== undefined) return stored;
      const news = await next(end);
      if (signal.aborted) return undefined;
      if (news !== 'due' && news !== 'over') continue;
      await journal.reveal(taskId);
      return journal.readAny(taskId, BARE);
    }
  });
}

/** True when the task became terminal after the sequence, false when it did not within `ms`. */
export async function untilTerminal(
  deps: WaitingDeps,
  { taskId, after, ms }: { taskId: string; after: number; ms: number },
): Promise<boolean> {
  const end = performance.now() + ms;
  return follow(deps, { taskId, after }, async (next) => {
    for (;;) {
      const news = await next(end);
      if (news === 'due' || news === 'over') return false;
      if (news.some(({ event }) => 'statusUpdate' in event && isTerminal(event.statusUpdate.status.state))) {
        return true;
      }
    }
  });
}

/** The next events; or `due` when the moment (of `performance.now`) came first; or `over` for ever. */
type Next = (until: number) => Promise<EventBatch | 'due' | 'over'>;

/** Reads a task's log for as long as `body` runs. */
async function follow<T>(
  { hub, stopping }: WaitingDeps,
  { taskId, after, signal }: { taskId: string; after: number; signal?: AbortSignal },
  body: (next: Next) => Promise<T>,
): Promise<T> {
  const reader = hub.subscribe(taskId, after, stopping);
  const leave = () => void reader.return?.();
  signal?.addEventListener('abort', leave);
  if (signal?.aborted === true) leave();

  let reading: Promise<EventBatch | 'over'> | undefined;
  const next: Next = async (until) => {
    // A read that a moment overtook goes on, and is waited for again.
    reading ??= reader.next().then((step) => (step.done === true ? 'over' : step.value));
    reading.catch(() => undefined);
    let timer: NodeJS.Timeout | undefined;
    const moment = new Promise<'due'>((resolve) => {
      if (until < Infinity) timer = setTimeout(() => resolve('due'), until - performance.now());
    });
    try {
      const news = await Promise.race([reading, moment]);
      if (news !== 'due') reading = undefined;
      return news;
    } finally {
      clearTimeout(timer);
    }
  };
  try {
    return await body(next);
  } finally {
    signal?.removeEventListener('abort', leave);
    leave();
  }
}

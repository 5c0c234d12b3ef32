import { A2AError, invalidParams, taskNotFound } from '../../core/errors.js';
import type { AcceptedSend, Journal, StoredEvent, StoredTask } from '../../core/journal.js';
import { offersStreaming } from '../../core/offers.js';
import { isTerminal } from '../../core/states.js';
import type { EventBatch } from '../../journal/hub.js';
import type { SendRequest, SubscribeRequest } from '../../wire/requests.js';
import { acceptSend, type AcceptanceDeps } from './acceptance.js';
import { scopeOf, type Call } from './call.js';
import { fixedStream, TaskStream, type EventStream } from './task-stream.js';
import { settles, untilFirstAct, type WaitingDeps } from './waiting.js';

export type StreamingDeps = AcceptanceDeps & WaitingDeps & { journal: Journal };

/**
 * Sends a message and streams what becomes of it (section 3.1.2). With a cursor it starts nothing: it
 * resumes the stream of a send that was made before (B07).
 */
export async function streamSend(
  deps: StreamingDeps,
  call: Call,
  request: SendRequest,
): Promise<EventStream> {
  checkStreaming(call);
  const cursor = parseCursor(call.lastEventId);
  const accepted =
    cursor === undefined ? await acceptSend(deps, call, request) : await findSend(deps, call, request);
  if (!accepted.visible) {
    const held = await untilFirstAct(deps, accepted, { signal: call.signal, holdMs: holdMs(deps, call) });
    if (held?.message !== undefined) return directStream(held, cursor);
  }
  if (cursor !== undefined) return resume(deps, await readTask(deps, accepted.taskId), cursor);

  const { historyLength } = request.options;
  if (accepted.commands.some(({ kind }) => kind === 'start')) {
    return streamFromStart(deps, accepted, historyLength);
  }
  const stored = await readTask(deps, accepted.taskId, historyLength);
  const ended = isTerminal(stored.task.status.state) || (await settledBetween(deps, accepted, stored));
  return streamFromSnapshot(deps, stored, ended);
}

/** Streams an existing task (section 3.1.6). */
export async function streamTask(
  deps: StreamingDeps,
  call: Call,
  { id, afterSeq, fromStart = false }: SubscribeRequest,
): Promise<EventStream> {
  checkStreaming(call);
  const cursor = afterSeq ?? parseCursor(call.lastEventId) ?? (fromStart ? 0 : undefined);
  call.taskId = id;
  const stored = await deps.journal.read(scopeOf(call), id);
  if (stored === undefined) throw taskNotFound(id);
  if (cursor !== undefined) {
    return resume(deps, stored, cursor, afterSeq === undefined ? 'Last-Event-ID' : 'afterSeq');
  }
  if (isTerminal(stored.task.status.state)) {
    throw new A2AError('UNSUPPORTED_OPERATION', 'The task has ended; there is nothing to subscribe to', {
      metadata: { taskId: id },
    });
  }
  return streamFromSnapshot(deps, stored, false);
}

/** How long to hold a send whose answer may be a direct message (A03). */
export function holdMs({ settings }: WaitingDeps, { agent }: Call): number {
  return agent.answers === 'either' ? settings.directHoldMs : settings.workerWaitMs;
}

/** A new task's stream is its log from the first event, which is the Task. */
async function streamFromStart(
  { hub, stopping }: StreamingDeps,
  { taskId, seq }: AcceptedSend,
  historyLength: number | undefined,
): Promise<EventStream> {
  const reader = hub.subscribe(taskId, 0, stopping);
  try {
    const { value = [] } = await reader.next();
    return new TaskStream(taskId, reader, { first: limitHistory(value, historyLength), replayEnd: seq });
  } catch (error) {
    void reader.return?.();
    throw error;
  }
}

/** The Task as it is, then what follows. `ended`: nothing does. */
function streamFromSnapshot(
  { hub, stopping }: StreamingDeps,
  { task, lastSeq }: StoredTask,
  ended: boolean,
): EventStream {
  const first: StoredEvent[] = [{ taskId: task.id, seq: lastSeq, event: { task } }];
  if (ended) return fixedStream(task.id, first);
  return new TaskStream(task.id, hub.subscribe(task.id, lastSeq, stopping), { first, replayEnd: lastSeq });
}

function resume(
  deps: StreamingDeps,
  stored: StoredTask,
  cursor: number,
  field = 'Last-Event-ID',
): EventStream {
  const { task, lastSeq, floorSeq } = stored;
  const terminal = isTerminal(task.status.state);
  checkNotAhead(cursor, lastSeq, field);
  // What the client has not seen is gone by retention: it is told so by a new snapshot.
  if (cursor < floorSeq) return streamFromSnapshot(deps, stored, terminal);
  if (cursor === lastSeq && terminal) return fixedStream(task.id, []);
  return new TaskStream(task.id, deps.hub.subscribe(task.id, cursor, deps.stopping), { replayEnd: lastSeq });
}

/** The stream of a direct answer: exactly one message. */
function directStream({ task, message, lastSeq }: StoredTask, cursor: number | undefined): EventStream {
  if (cursor !== undefined) checkNotAhead(cursor, lastSeq);
  if (message === undefined || cursor === lastSeq) return fixedStream(task.id, []);
  return fixedStream(task.id, [{ taskId: task.id, seq: lastSeq, event: { message } }]);
}

async function findSend(
  { journal }: StreamingDeps,
  call: Call,
  { message }: SendRequest,
): Promise<AcceptedSend> {
  const found = await journal.findSend(scopeOf(call), {
    message,
    ...(message.taskId !== undefined && { taskId: message.taskId }),
    ...(call.idempotencyKey !== undefined && { idempotencyKey: call.idempotencyKey }),
  });
  if (found === undefined) throw invalidParams('Last-Event-ID', 'no earlier send matches this one');
  call.taskId = found.taskId;
  return found;
}

/**
 * Whether the send was settled before the snapshot was taken. A repeated send to a task that works again
 * is streamed as it is now, until it next settles (A20).
 */
async function settledBetween(
  { journal }: StreamingDeps,
  accepted: AcceptedSend,
  { task, lastSeq }: StoredTask,
): Promise<boolean> {
  if (accepted.duplicate && task.status.state === 'TASK_STATE_WORKING') return false;
  for (let after = accepted.seq; after < lastSeq;) {
    const events = await journal.readEvents(task.id, after, 256);
    if (events.some(({ seq, event }) => seq <= lastSeq && settles(event))) return true;
    after = events.at(-1)?.seq ?? lastSeq;
  }
  return false;
}

/** By id alone: the send that named it was the caller's own. */
async function readTask(
  { journal }: StreamingDeps,
  taskId: string,
  historyLength?: number,
): Promise<StoredTask> {
  const stored = await journal.readAny(taskId, historyLength === undefined ? {} : { historyLength });
  if (stored === undefined) throw taskNotFound(taskId);
  return stored;
}

/** A12, for the Task frames of a log. Events are shared between readers, so a changed one is a copy. */
function limitHistory(events: EventBatch, historyLength: number | undefined): EventBatch {
  if (historyLength === undefined) return events;
  return events.map((stored) => {
    if (!('task' in stored.event)) return stored;
    const { history = [], ...task } = stored.event.task;
    const newest = historyLength === 0 ? [] : history.slice(-historyLength);
    return { ...stored, event: { task: { ...task, history: newest } } };
  });
}

function checkStreaming({ agent }: Call): void {
  if (offersStreaming(agent)) return;
  throw new A2AError('UNSUPPORTED_OPERATION', 'This agent does not stream');
}

function checkNotAhead(cursor: number, lastSeq: number, field = 'Last-Event-ID'): void {
  if (cursor > lastSeq) throw invalidParams(field, 'is ahead of the event log of the task');
}

/** The sequence that the client saw last; undefined where the header is absent or empty. */
function parseCursor(header: string | undefined): number | undefined {
  const text = header?.trim() ?? '';
  if (text === '') return undefined;
  if (!/^\d{1,15}$/.test(text)) throw invalidParams('Last-Event-ID', 'must be the id of an earlier event');
  return Number(text);
}

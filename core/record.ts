import { extendArtifact, fold, mergeText } from './fold.js';
import type { IdPrefix } from './ids.js';
import type { AgentMessage, Entry } from './journal.js';
import { isSettled, isTerminal, statesTo } from './states.js';
import type { Artifact, Message, Metadata, StreamResponse, Task, TaskState } from './task.js';

/** What text that the agent streamed on its way, and that is not its answer, is marked with (B04). */
export const INTERMEDIATE_THINKING = 'intermediate-thinking';

/** A task as far as recording has to know it. */
export interface RecordState {
  /**
   * The task so far. Its history is not looked at. An artifact may stand here without its parts, unless
   * the entry closes it or continues it after it was closed.
   */
  task: Task;
  visible: boolean;
  /** Ids of the artifacts that have begun and are not closed, in the order in which they began. */
  open: readonly string[];
}

/** Time and ids are the journal's to give. */
export interface Stamp {
  /** ISO 8601, UTC, milliseconds. */
  time: string;
  id(prefix: IdPrefix): string;
}

/** What one entry comes to. */
export interface Recorded {
  /** To be appended, in order. The last one is the entry's own; those before it were added to it. */
  events: StreamResponse[];
  /** The task afterwards. */
  state: RecordState;
  /** True where the task begins to work, so that it has to hold its context's turn (A13). */
  takesTurn: boolean;
  /** A user's message for the history. It takes no event. */
  received?: Message;
  /** The direct answer that ends a hidden row (A03). */
  direct?: Message;
}

/**
 * The rules of what an entry writes, in one place: states in between, artifacts that a settled state
 * closes, the two faces of a direct answer. Gives undefined on a terminal task: nothing may follow (A06).
 * Throws a plain Error on a state that can never follow, which is a fault of the caller.
 */
export function record(before: RecordState, entry: Entry, stamp: Stamp): Recorded | undefined {
  if (isTerminal(before.task.status.state)) return undefined;
  const log = new Recorder(before, stamp);
  switch (entry.kind) {
    case 'status':
      log.status(entry.state, entry.message, entry.metadata);
      return log.recorded();
    case 'artifact':
      if (before.task.status.state === 'TASK_STATE_SUBMITTED') log.status('TASK_STATE_WORKING');
      log.artifact(entry.artifact, entry.append, entry.lastChunk);
      return log.recorded();
    case 'close':
      log.close(entry.artifactId, entry.metadata);
      return log.recorded();
    case 'message':
      if (!before.visible) return directAnswer(before, entry.message, stamp);
      log.answer(entry.message);
      return log.recorded();
    case 'received': {
      const received = withTask(entry.message, before.task, stamp.time);
      return { ...log.recorded(), state: before, received };
    }
    case 'metadata': {
      const task = { ...before.task, metadata: { ...before.task.metadata, ...entry.metadata } };
      return { ...log.recorded(), state: { ...before, task } };
    }
  }
}

/** A fragment that an activity writes while it runs. Undefined on a terminal task. */
export function recordFragment(
  before: RecordState,
  artifact: Artifact,
  append: boolean,
): Recorded | undefined {
  if (isTerminal(before.task.status.state)) return undefined;
  const log = new Recorder(before, { time: '', id: () => '' });
  log.artifact(artifact, append, false);
  return log.recorded();
}

/** A message as it stands in the history: with its task, context and time (A02). */
export function withTask(message: Message, task: { id: string; contextId: string }, time: string): Message {
  return {
    ...message,
    taskId: task.id,
    contextId: task.contextId,
    metadata: { ...message.metadata, $timestamp: time },
  };
}

function agentMessage(message: AgentMessage, contextId: string, stamp: Stamp): Message {
  return {
    messageId: stamp.id('msg'),
    contextId,
    role: 'ROLE_AGENT',
    parts: message.parts,
    metadata: { ...message.metadata, $timestamp: stamp.time },
    ...(message.extensions && { extensions: message.extensions }),
  };
}

/** The row stays hidden, so the Message names no task: there is none that its reader could ask for. */
function directAnswer(before: RecordState, answer: AgentMessage, stamp: Stamp): Recorded {
  const { task } = before;
  const direct = agentMessage(answer, task.contextId, stamp);
  return {
    events: [{ message: direct }],
    state: { ...before, task: { ...task, status: { state: 'TASK_STATE_COMPLETED', timestamp: stamp.time } } },
    takesTurn: task.status.state !== 'TASK_STATE_WORKING',
    direct,
  };
}

/** Gathers the events of one entry, folding each into the state that the next one starts from. */
class Recorder {
  readonly #events: StreamResponse[] = [];
  readonly #stamp: Stamp;
  #state: RecordState;
  #takesTurn = false;

  constructor(before: RecordState, stamp: Stamp) {
    this.#state = before;
    this.#stamp = stamp;
  }

  recorded(): Recorded {
    return { events: this.#events, state: this.#state, takesTurn: this.#takesTurn };
  }

  status(to: TaskState, message?: AgentMessage, metadata?: Metadata): void {
    this.#pass(to);
    if (isSettled(to))
      this.#closeAll(to === 'TASK_STATE_COMPLETED' ? undefined : { type: INTERMEDIATE_THINKING });
    this.#enter(to, message, metadata);
  }

  /** The direct answer where the task shows already: an artifact, then COMPLETED. */
  answer(message: AgentMessage): void {
    this.#pass('TASK_STATE_COMPLETED');
    this.#closeAll();
    this.artifact({ artifactId: this.#stamp.id('art'), ...message }, false, true);
    this.#enter('TASK_STATE_COMPLETED');
  }

  artifact(artifact: Artifact, append: boolean, lastChunk: boolean): void {
    const known = this.#artifact(artifact.artifactId);
    const open = this.#state.open.includes(artifact.artifactId);
    if (!append || known === undefined) {
      this.#update(artifact, false, lastChunk);
    } else if (open && !lastChunk) {
      this.#update(artifact, true, false);
    } else {
      // Its last event has the whole, so that the ones before it can go; and one that goes on after it
      // was closed is sent whole again, since it was not the thinking that the closing took it for.
      this.#update(extendArtifact(open ? known : withoutMark(known), artifact), false, lastChunk);
    }
  }

  /**
   * The whole text in one part. The author's close is the last word: an artifact that a pause had
   * closed as thinking is sent once more, now as what it is.
   */
  close(artifactId: string, metadata?: Metadata): void {
    const known = this.#artifact(artifactId);
    if (known === undefined) return;
    const open = this.#state.open.includes(artifactId);
    if (!open && known.metadata?.type !== INTERMEDIATE_THINKING) return;
    const whole = { ...(open ? known : withoutMark(known)), parts: mergeText(known.parts) };
    if (metadata !== undefined) whole.metadata = { ...whole.metadata, ...metadata };
    this.#update(whole, false, true);
  }

  #closeAll(metadata?: Metadata): void {
    for (const artifactId of this.#state.open) this.close(artifactId, metadata);
  }

  /** Records the states that lie between this one and `to`. */
  #pass(to: TaskState): void {
    const from = this.#state.task.status.state;
    const path = statesTo(from, to);
    if (path === undefined) throw new Error(`${to} cannot follow ${from}`);
    for (const state of path.slice(0, -1)) this.#enter(state);
  }

  #enter(state: TaskState, message?: AgentMessage, metadata?: Metadata): void {
    const { task } = this.#state;
    if (state === 'TASK_STATE_WORKING' && task.status.state !== state) this.#takesTurn = true;
    const stamp = this.#stamp;
    this.#add({
      statusUpdate: {
        taskId: task.id,
        contextId: task.contextId,
        status: {
          state,
          ...(message && { message: { ...agentMessage(message, task.contextId, stamp), taskId: task.id } }),
          timestamp: stamp.time,
        },
        ...(metadata && { metadata }),
      },
    });
  }

  #update(artifact: Artifact, append: boolean, lastChunk: boolean): void {
    const { id, contextId } = this.#state.task;
    const others = this.#state.open.filter((other) => other !== artifact.artifactId);
    const wasOpen = others.length < this.#state.open.length;
    this.#add({ artifactUpdate: { taskId: id, contextId, artifact, append, lastChunk } });
    if (lastChunk) this.#state = { ...this.#state, open: others };
    else if (!wasOpen) this.#state = { ...this.#state, open: [...others, artifact.artifactId] };
  }

  /** A bare WORKING tells a reader nothing, so a hidden row stays hidden: the direct answer may still come. */
  #add(event: StreamResponse): void {
    this.#events.push(event);
    const visible = this.#state.visible || !isBareWorking(event);
    this.#state = { ...this.#state, visible, task: fold(this.#state.task, event) };
  }

  #artifact(artifactId: string): Artifact | undefined {
    return this.#state.task.artifacts?.find((artifact) => artifact.artifactId === artifactId);
  }
}

function isBareWorking(event: StreamResponse): boolean {
  if (!('statusUpdate' in event)) return false;
  const { status, metadata } = event.statusUpdate;
  return status.state === 'TASK_STATE_WORKING' && status.message === undefined && metadata === undefined;
}

function withoutMark(artifact: Artifact): Artifact {
  if (artifact.metadata?.type !== INTERMEDIATE_THINKING) return artifact;
  const { type: _mark, ...metadata } = artifact.metadata;
  const { metadata: _marked, ...rest } = artifact;
  return Object.keys(metadata).length === 0 ? rest : { ...rest, metadata };
}

import type { Delivery, TaskStart } from '../journal.js';
import type { Json, TaskState } from '../task.js';
import { sumOfUsage, type Usage } from '../usage.js';

/** All that a task carries from one run to the next. Plain JSON: a Map or Set would arrive as `{}`. */
export interface SessionState {
  start: TaskStart;
  state: TaskState;
  /** Key of the last published entry: the next one's key is a hash over it. */
  lastKey: string;
  /** Follow-ups that nothing has taken yet, in order of arrival. */
  inbox: Delivery[];
  /** Keys of the newest deliveries, so that one that comes again is taken once. */
  seen: string[];
  /** Artifacts with fragments and no closing event yet. */
  openArtifacts: string[];
  checkpoint?: { state: Json };
  usage?: Usage;
  /** Numbers the transcripts of `generate`. */
  conversations: number;
}

/** Newest delivery keys to remember. A sender's retry comes within minutes, not thousands of messages later. */
const SEEN_LIMIT = 1_000;

export function newSessionState(start: TaskStart): SessionState {
  return {
    start,
    state: 'TASK_STATE_SUBMITTED',
    lastKey: '',
    inbox: [],
    seen: [],
    openArtifacts: [],
    conversations: 0,
  };
}

/** False where this delivery came before. */
export function remember(state: SessionState, key: string): boolean {
  if (state.seen.includes(key)) return false;
  state.seen.push(key);
  if (state.seen.length > SEEN_LIMIT) state.seen.shift();
  return true;
}

export function addUsage(state: SessionState, usage: Usage): void {
  state.usage = sumOfUsage(state.usage, usage);
}

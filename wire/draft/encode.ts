import type { PushConfig } from '../../core/push.js';
import { isInterrupted, isSettled } from '../../core/states.js';
import type {
  Artifact,
  Message,
  Part,
  StreamResponse,
  Task,
  TaskState,
  TaskStatus,
} from '../../core/task.js';
import { compact } from '../fields.js';
import { nonEmpty, schemes } from '../v03/encode.js';

/** The core model in the JSON of the drafts of spring 2025. */

/** Two states are younger than the drafts: their status message says what happened, and where to authorise. */
const STATES: Record<TaskState, string> = {
  TASK_STATE_SUBMITTED: 'submitted',
  TASK_STATE_WORKING: 'working',
  TASK_STATE_COMPLETED: 'completed',
  TASK_STATE_FAILED: 'failed',
  TASK_STATE_CANCELED: 'canceled',
  TASK_STATE_INPUT_REQUIRED: 'input-required',
  TASK_STATE_REJECTED: 'failed',
  TASK_STATE_AUTH_REQUIRED: 'input-required',
};

export function task({ id, contextId, status: now, artifacts, history, metadata }: Task) {
  // While a task works an artifact may be open still.
  const lastChunk = isSettled(now.state) || undefined;
  return compact({
    id,
    sessionId: contextId,
    status: status(now),
    artifacts: nonEmpty(artifacts)?.map((one, index) => artifact(one, { index, lastChunk })),
    history: nonEmpty(history)?.map(message),
    metadata,
  });
}

/**
 * A frame's payload. There is no frame for a whole task: of the one that begins a stream its status is told,
 * unless that is a question, which the reader has had. The id of an artifact is its index here.
 */
export function event(event: StreamResponse, passed = false) {
  if ('task' in event) {
    const { id, status: now } = event.task;
    if (isInterrupted(now.state)) return undefined;
    return { id, status: status(now), final: isSettled(now.state) };
  }
  if ('statusUpdate' in event) {
    const { taskId: id, status: now, metadata } = event.statusUpdate;
    return compact({ id, status: status(now), final: isSettled(now.state) && !passed, metadata });
  }
  if (!('artifactUpdate' in event)) return undefined;
  const { taskId: id, artifact: whole, append, lastChunk, metadata } = event.artifactUpdate;
  const place = { index: Number(whole.artifactId), append: append || undefined, lastChunk };
  return compact({ id, artifact: artifact(whole, place), metadata });
}

export function pushConfig({ taskId: id, url, token, authentication }: PushConfig) {
  return { id, pushNotificationConfig: compact({ url, token, authentication: schemes(authentication) }) };
}

function status({ state, message: said, timestamp }: TaskStatus) {
  return compact({ state: STATES[state], message: said && message(said), timestamp });
}

function message({ role, parts, metadata }: Message) {
  return compact({ role: role === 'ROLE_USER' ? 'user' : 'agent', parts: parts.map(part), metadata });
}

function artifact(
  { name, description, parts, metadata }: Artifact,
  place: { index: number; append?: true | undefined; lastChunk?: boolean | undefined },
) {
  return compact({ name, description, parts: parts.map(part), metadata, ...place });
}

/** A name has a place only in a file; of text and data it is left out. */
function part(part: Part) {
  const { metadata, filename: name, mediaType: mimeType } = part;
  if ('text' in part) return compact({ type: 'text', text: part.text, mimeType, metadata });
  if ('raw' in part) {
    return compact({ type: 'file', file: compact({ name, mimeType, bytes: part.raw }), metadata });
  }
  if ('url' in part) {
    return compact({ type: 'file', file: compact({ name, mimeType, uri: part.url }), metadata });
  }
  if ('data' in part) {
    return compact({ type: 'data', data: part.data, mimeType: mimeType ?? 'application/json', metadata });
  }
  throw new TypeError('a part of the journal does not leave the server');
}

import { isSettled } from '../../core/states.js';
import type { PushConfig } from '../../core/push.js';
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
import { wrapData } from './data.js';

/** The core model in the JSON of A2A 0.3 (section 6): told apart by `kind`, states in lower case. */

const STATES: Record<TaskState, string> = {
  TASK_STATE_SUBMITTED: 'submitted',
  TASK_STATE_WORKING: 'working',
  TASK_STATE_COMPLETED: 'completed',
  TASK_STATE_FAILED: 'failed',
  TASK_STATE_CANCELED: 'canceled',
  TASK_STATE_INPUT_REQUIRED: 'input-required',
  TASK_STATE_REJECTED: 'rejected',
  TASK_STATE_AUTH_REQUIRED: 'auth-required',
};

export function task({ id, contextId, status: now, artifacts, history, metadata }: Task) {
  return compact({
    kind: 'task',
    id,
    contextId,
    status: status(now),
    artifacts: nonEmpty(artifacts)?.map(artifact),
    history: nonEmpty(history)?.map(message),
    metadata,
  });
}

function message({ role, parts, ...fields }: Message) {
  const { messageId, contextId, taskId, metadata, extensions, referenceTaskIds } = fields;
  return compact({
    kind: 'message',
    messageId,
    role: role === 'ROLE_USER' ? 'user' : 'agent',
    parts: parts.map(part),
    contextId,
    taskId,
    metadata,
    extensions: nonEmpty(extensions),
    referenceTaskIds: nonEmpty(referenceTaskIds),
  });
}

/** A frame's payload. A status that settles the task is the last of its stream, and `final` says so. */
export function event(event: StreamResponse, passed = false) {
  if ('task' in event) return task(event.task);
  if ('message' in event) return message(event.message);
  if ('statusUpdate' in event) {
    const { taskId, contextId, status: now, metadata } = event.statusUpdate;
    const final = isSettled(now.state) && !passed;
    return compact({ kind: 'status-update', taskId, contextId, status: status(now), final, metadata });
  }
  const { artifact: whole, ...fields } = event.artifactUpdate;
  const { taskId, contextId, append, lastChunk, metadata } = fields;
  return compact({
    kind: 'artifact-update',
    taskId,
    contextId,
    artifact: artifact(whole),
    append,
    lastChunk,
    metadata,
  });
}

export function pushConfig({ taskId, id, url, token, authentication }: PushConfig) {
  return {
    taskId,
    pushNotificationConfig: compact({ id, url, token, authentication: schemes(authentication) }),
  };
}

/** 0.3 has a list of schemes where 1.0 has one. */
export function schemes(authentication: PushConfig['authentication']) {
  if (authentication === undefined) return undefined;
  const { scheme, credentials } = authentication;
  return compact({ schemes: [scheme], credentials });
}

export function nonEmpty<T>(list: readonly T[] | undefined): readonly T[] | undefined {
  return list === undefined || list.length === 0 ? undefined : list;
}

function status({ state, message: said, timestamp }: TaskStatus) {
  return compact({ state: STATES[state], message: said && message(said), timestamp });
}

function artifact({ artifactId, name, description, parts, metadata, extensions }: Artifact) {
  return compact({
    artifactId,
    name,
    description,
    parts: parts.map(part),
    metadata,
    extensions: nonEmpty(extensions),
  });
}

/** A name and a media type have a place only in a file; of text and data they are left out. */
function part(part: Part) {
  const { metadata, filename: name, mediaType: mimeType } = part;
  if ('text' in part) return compact({ kind: 'text', text: part.text, metadata });
  if ('raw' in part)
    return compact({ kind: 'file', file: compact({ bytes: part.raw, mimeType, name }), metadata });
  if ('url' in part)
    return compact({ kind: 'file', file: compact({ uri: part.url, mimeType, name }), metadata });
  if ('data' in part) return { kind: 'data', ...wrapData(part.data, metadata) };
  throw new TypeError('a part of the journal does not leave the server');
}

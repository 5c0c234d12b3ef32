import { isSettled } from '../../core/states.js';
import type { PushConfig } from '../../core/push.js';
import type { Artifact, Message, Part, StreamResponse, Task, TaskStatus } from '../../core/task.js';
import { compact } from '../fields.js';
import { wrapData } from './data.js';
import { nonEmpty, schemes } from './encode.js';

/**
 * The core model in the ProtoJSON of 0.3's a2a.proto: what HTTP+JSON and gRPC say. The official Python
 * client refuses an answer that has any field or enum value beside those of the proto.
 */

export function task({ id, contextId, status: now, artifacts, history, metadata }: Task) {
  return compact({
    id,
    contextId,
    status: status(now),
    artifacts: nonEmpty(artifacts)?.map(artifact),
    history: nonEmpty(history)?.map(message),
    metadata,
  });
}

export function event(event: StreamResponse, passed = false) {
  if ('task' in event) return { task: task(event.task) };
  if ('message' in event) return { message: message(event.message) };
  if ('statusUpdate' in event) {
    const { taskId, contextId, status: now, metadata } = event.statusUpdate;
    const final = isSettled(now.state) && !passed;
    return { statusUpdate: compact({ taskId, contextId, status: status(now), final, metadata }) };
  }
  const { artifact: whole, ...fields } = event.artifactUpdate;
  const { taskId, contextId, append, lastChunk, metadata } = fields;
  return {
    artifactUpdate: compact({ taskId, contextId, artifact: artifact(whole), append, lastChunk, metadata }),
  };
}

/** A configuration is named by a path, as resources are in this proto. */
export function pushConfig({ taskId, id, url, token, authentication }: PushConfig) {
  return {
    name: `tasks/${taskId}/pushNotificationConfigs/${id}`,
    pushNotificationConfig: compact({ id, url, token, authentication: schemes(authentication) }),
  };
}

/** 0.3's name with two Ls; the other states are called as in 1.0. */
function status({ state, message: said, timestamp }: TaskStatus) {
  return compact({
    state: state === 'TASK_STATE_CANCELED' ? 'TASK_STATE_CANCELLED' : state,
    message: said && message(said),
    timestamp,
  });
}

/** Reference tasks have no field. */
function message({ messageId, contextId, taskId, role, parts, metadata, extensions }: Message) {
  return compact({
    messageId,
    contextId,
    taskId,
    role,
    content: parts.map(part),
    metadata,
    extensions: nonEmpty(extensions),
  });
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

/** As in JSON-RPC, only files have a name and a media type. */
function part(part: Part) {
  const { metadata, filename: name, mediaType: mimeType } = part;
  if ('text' in part) return compact({ text: part.text, metadata });
  if ('raw' in part) return compact({ file: compact({ fileWithBytes: part.raw, mimeType, name }), metadata });
  if ('url' in part) return compact({ file: compact({ fileWithUri: part.url, mimeType, name }), metadata });
  if ('data' in part) {
    const wrapped = wrapData(part.data, metadata);
    return compact({ data: { data: wrapped.data }, metadata: wrapped.metadata });
  }
  throw new TypeError('a part of the journal does not leave the server');
}

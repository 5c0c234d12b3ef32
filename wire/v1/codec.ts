import { A2AError, type FieldViolation } from '../../core/errors.js';
import type { PushConfig } from '../../core/push.js';
import type { StreamResponse, Task } from '../../core/task.js';
import type { Codec, DecodeLimits } from '../codec.js';
import type { Operation, PushConfigList, Requests, SendResult, TaskList } from '../requests.js';
import { requestSchemas } from './schema.js';

/** Told to a caller at most; a request with a thousand bad parts needs no thousand lines. */
const MAX_VIOLATIONS = 20;

/** A2A 1.0. The core model is its ProtoJSON already, so encoding is close to writing JSON. */
export function createV1Codec(limits: DecodeLimits): Codec {
  const schemas = requestSchemas(limits);

  return {
    decode<O extends Operation>(operation: O, params: unknown): Requests[O] {
      const result = schemas[operation].safeParse(params);
      if (result.success) return result.data as Requests[O];
      const violations = result.error.issues
        .slice(0, MAX_VIOLATIONS)
        .map((issue): FieldViolation => ({ field: fieldPath(issue.path), description: issue.message }));
      const [first] = violations;
      throw new A2AError('INVALID_PARAMS', `Invalid parameters: ${first?.field} ${first?.description}`, {
        violations,
      });
    },

    encodeSendResult: (result: SendResult) =>
      JSON.stringify('task' in result ? { task: shownTask(result.task) } : result),
    encodeTask: (task: Task) => JSON.stringify(shownTask(task)),
    encodeTaskList: ({ tasks, ...page }: TaskList, { includeArtifacts }) =>
      JSON.stringify({
        // Section 3.1.4: artifacts are absent unless asked for, and then there even when empty.
        tasks: tasks.map((task) => ({
          ...shownTask(task),
          artifacts: includeArtifacts ? (task.artifacts ?? []) : undefined,
        })),
        ...page,
      }),
    encodeEvent: (event: StreamResponse) =>
      JSON.stringify('task' in event ? { task: shownTask(event.task) } : event),
    encodePushConfig: (config: PushConfig) => JSON.stringify(config),
    encodePushConfigList: ({ configs, nextPageToken }: PushConfigList) =>
      JSON.stringify({ configs, nextPageToken }),
    encodeDeleted: () => '{}',
  };
}

/** ProtoJSON leaves empty repeated fields out (section 3.2.4 asks it of history 0). */
function shownTask(task: Task): Task {
  if (task.history?.length !== 0 && task.artifacts?.length !== 0) return task;
  const { history, artifacts, ...rest } = task;
  return {
    ...rest,
    ...(artifacts !== undefined && artifacts.length > 0 && { artifacts }),
    ...(history !== undefined && history.length > 0 && { history }),
  };
}

/** The protocol's own path, such as `message.parts[0].raw`. */
function fieldPath(path: readonly PropertyKey[]): string {
  const joined = path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '');
  return joined === '' ? 'params' : joined;
}

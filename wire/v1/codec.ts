import type { PushConfig } from '../../core/push.js';
import type { StreamResponse, Task } from '../../core/task.js';
import type { Codec, DecodeLimits } from '../codec.js';
import { decode } from '../decoder.js';
import type { PushConfigList, SendResult, TaskList } from '../requests.js';
import { requestSchemas } from './schema.js';

/** A2A 1.0. The core model is its ProtoJSON already, so encoding is close to writing JSON. */
export function createV1Codec(limits: DecodeLimits): Codec {
  const schemas = requestSchemas(limits);

  return {
    decode: (operation, params) => decode(schemas, operation, params),
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

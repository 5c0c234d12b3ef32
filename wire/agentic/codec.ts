import type { StreamResponse } from '../../core/task.js';
import type { Codec, DecodeLimits } from '../codec.js';
import type { ListTasksRequest, Operation, Requests } from '../requests.js';
import { createV1Codec } from '../v1/codec.js';
import { shownStatus, shownTask, statesShownAs } from './shown.js';

/** The /v2/agentic surface: A2A 1.0 but for two states that it does not know (D05). */
export function createAgenticCodec(limits: DecodeLimits): Codec {
  const v1 = createV1Codec(limits);

  return {
    ...v1,
    decode<O extends Operation>(operation: O, params: unknown): Requests[O] {
      const request = v1.decode(operation, params);
      return operation === 'ListTasks' ? (byShownState(request as ListTasksRequest) as Requests[O]) : request;
    },
    encodeSendResult: (result) =>
      v1.encodeSendResult('task' in result ? { task: shownTask(result.task) } : result),
    encodeTask: (task) => v1.encodeTask(shownTask(task)),
    encodeTaskList: ({ tasks, ...page }, options) =>
      v1.encodeTaskList({ ...page, tasks: tasks.map(shownTask) }, options),
    encodeEvent: (event) => v1.encodeEvent(shownEvent(event)),
  };
}

function byShownState({ status, ...request }: ListTasksRequest): ListTasksRequest {
  return { ...request, ...(typeof status === 'string' && { status: statesShownAs(status) }) };
}

function shownEvent(event: StreamResponse): StreamResponse {
  if ('task' in event) return { task: shownTask(event.task) };
  if (!('statusUpdate' in event)) return event;
  const update = event.statusUpdate;
  const status = shownStatus(update.status, { id: update.taskId, contextId: update.contextId });
  if (status === update.status) return event;
  return {
    statusUpdate: { ...update, status, metadata: { ...update.metadata, $state: update.status.state } },
  };
}

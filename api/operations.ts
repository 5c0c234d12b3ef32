import type { AgentDefinition } from '../core/agent.js';
import type { Codec } from '../wire/codec.js';
import type { Operation, Requests } from '../wire/requests.js';
import type { StreamSlots } from './stream-slots.js';
import type { Call } from './tasks/call.js';
import type { EventStream } from './tasks/task-stream.js';
import type { TaskService } from './tasks/task-service.js';

/** What an operation answers: JSON text in the dialect, or a stream with its slot to give back. */
export type Reply = { json: string } | { stream: EventStream; release: () => void };

/** Makes the call, once the request is decoded and its tenant known. */
export type CallFor = (tenant: string | undefined) => Call;

export type Operations = Record<Operation, (params: object, callFor: CallFor) => Promise<Reply>>;

/** The operations in one dialect, the same for every binding that speaks it. */
export function createOperations(
  service: TaskService,
  codec: Codec,
  slots: StreamSlots,
  /** The agent's extended card, in the dialect. */
  extendedCard: (agent: AgentDefinition) => Promise<string>,
): Operations {
  /** Decodes, then does. */
  function on<O extends Operation>(operation: O, run: (call: Call, request: Requests[O]) => Promise<Reply>) {
    return async (params: object, callFor: CallFor): Promise<Reply> => {
      const request = codec.decode(operation, params);
      return run(callFor(request.tenant), request);
    };
  }

  async function stream(call: Call, open: () => Promise<EventStream>): Promise<Reply> {
    // Before anything is started: a refused stream must not leave a task behind.
    const release = slots.acquire(call.caller);
    try {
      return { stream: await open(), release };
    } catch (error) {
      release();
      throw error;
    }
  }

  return {
    SendMessage: on('SendMessage', async (call, request) => ({
      json: codec.encodeSendResult(await service.sendMessage(call, request)),
    })),
    SendStreamingMessage: on('SendStreamingMessage', (call, request) =>
      stream(call, () => service.sendStreamingMessage(call, request)),
    ),
    GetTask: on('GetTask', async (call, request) => ({
      json: codec.encodeTask(await service.getTask(call, request)),
    })),
    ListTasks: on('ListTasks', async (call, request) => ({
      json: codec.encodeTaskList(await service.listTasks(call, request), request),
    })),
    CancelTask: on('CancelTask', async (call, request) => ({
      json: codec.encodeTask(await service.cancelTask(call, request)),
    })),
    SubscribeToTask: on('SubscribeToTask', (call, request) =>
      stream(call, () => service.subscribeToTask(call, request)),
    ),
    CreateTaskPushNotificationConfig: on('CreateTaskPushNotificationConfig', async (call, request) => ({
      json: codec.encodePushConfig(await service.push.create(call, request)),
    })),
    GetTaskPushNotificationConfig: on('GetTaskPushNotificationConfig', async (call, request) => ({
      json: codec.encodePushConfig(await service.push.get(call, request)),
    })),
    ListTaskPushNotificationConfigs: on('ListTaskPushNotificationConfigs', async (call, request) => ({
      json: codec.encodePushConfigList(await service.push.list(call, request)),
    })),
    DeleteTaskPushNotificationConfig: on('DeleteTaskPushNotificationConfig', async (call, request) => {
      await service.push.delete(call, request);
      return { json: codec.encodeDeleted() };
    }),
    GetExtendedAgentCard: on('GetExtendedAgentCard', async ({ agent }) => ({
      json: await extendedCard(agent),
    })),
  };
}

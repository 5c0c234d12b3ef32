import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { TaskState, type AgentCard } from '@a2a-js/sdk';
import {
  AgentEvent,
  DefaultRequestHandler,
  InMemoryTaskStore,
  type AgentExecutor,
  type ExecutionEventBus,
  type RequestContext,
} from '@a2a-js/sdk/server';
import { jsonRpcHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import express from 'express';
import { serve } from '../serve.js';

/** The official JavaScript server with its in-memory store, and the same trivial agent as ours. */
class Trivial implements AgentExecutor {
  async execute(
    { taskId, contextId, userMessage, task }: RequestContext,
    bus: ExecutionEventBus,
  ): Promise<void> {
    const update = (state: TaskState) =>
      AgentEvent.statusUpdate({
        taskId,
        contextId,
        status: { state, timestamp: new Date().toISOString(), message: undefined },
        metadata: undefined,
      });
    if (task === undefined) {
      bus.publish(
        AgentEvent.task({
          id: taskId,
          contextId,
          status: {
            state: TaskState.TASK_STATE_SUBMITTED,
            timestamp: new Date().toISOString(),
            message: undefined,
          },
          history: [userMessage],
          artifacts: [],
          metadata: undefined,
        }),
      );
    }
    bus.publish(update(TaskState.TASK_STATE_WORKING));
    bus.publish(
      AgentEvent.artifactUpdate({
        taskId,
        contextId,
        artifact: {
          artifactId: crypto.randomUUID(),
          name: 'answer',
          description: '',
          parts: [
            { content: { $case: 'text', value: 'done' }, metadata: undefined, filename: '', mediaType: '' },
          ],
          metadata: undefined,
          extensions: [],
        },
        append: false,
        lastChunk: true,
        metadata: undefined,
      }),
    );
    bus.publish(update(TaskState.TASK_STATE_COMPLETED));
    bus.finished();
  }

  async cancelTask(): Promise<void> {}
}

const card: AgentCard = {
  name: 'Trivial',
  description: 'Completes at once',
  version: '1.0.0',
  supportedInterfaces: [
    { url: 'http://127.0.0.1/', protocolBinding: 'JSONRPC', tenant: '', protocolVersion: '1.0' },
  ],
  provider: undefined,
  capabilities: { streaming: true, pushNotifications: false, extensions: [], extendedAgentCard: false },
  securitySchemes: {},
  securityRequirements: [],
  defaultInputModes: ['text'],
  defaultOutputModes: ['text'],
  skills: [],
  documentationUrl: '',
  signatures: [],
};

const app = express();
const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), new Trivial());
app.use(jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
serve({}, `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);

import { randomUUID } from 'node:crypto';
import type { StreamResponse, Task } from '@a2a-js/sdk';
import { SendMessageRequest, TaskState } from '@a2a-js/sdk';
import { ClientFactory, ClientFactoryOptions, type Client } from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import {
  ContentTypeNotSupportedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from './test-api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ grpcInCard: true });
});
afterAll(() => api.close());

function say(text: string, message: object = {}): SendMessageRequest {
  const parts = [{ text }];
  return SendMessageRequest.fromJSON({
    message: { messageId: randomUUID(), role: 'ROLE_USER', parts, ...message },
  });
}

function asTask(result: unknown): Task {
  expect(result).toHaveProperty('status');
  return result as Task;
}

async function collect(stream: AsyncIterable<StreamResponse>): Promise<StreamResponse[]> {
  const found: StreamResponse[] = [];
  for await (const event of stream) found.push(event);
  return found;
}

describe.each(['JSONRPC', 'HTTP+JSON', 'GRPC'] as const)(
  'C13 the official JavaScript client over %s',
  (transport) => {
    let client: Client;
    beforeAll(async () => {
      const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
        transports: [new GrpcTransportFactory()],
        preferredTransports: [transport],
      });
      client = await new ClientFactory(options).createFromUrl(api.url);
    });

    test('C13 C06 reads the card', async () => {
      const card = await client.getAgentCard();
      const current = card.supportedInterfaces.filter(({ protocolVersion }) => protocolVersion === '1.0');
      expect(current.map(({ protocolBinding }) => protocolBinding)).toEqual(
        expect.arrayContaining(['JSONRPC', 'HTTP+JSON', 'GRPC']),
      );
      expect(card.capabilities?.streaming).toBe(true);
    });

    test('C13 C01 sends, reads, lists and cancels', async () => {
      const done = asTask(await client.sendMessage(say('hello')));
      expect(done.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
      expect(await client.getTask({ id: done.id, tenant: '' })).toEqual(done);
      const asked = asTask(await client.sendMessage(say('ask')));
      expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
      const page = await client.listTasks({
        tenant: '',
        contextId: asked.contextId,
        status: TaskState.TASK_STATE_INPUT_REQUIRED,
        pageSize: 10,
        pageToken: '',
        historyLength: 0,
        statusTimestampAfter: undefined,
        includeArtifacts: true,
      });
      expect(page).toMatchObject({ totalSize: 1, pageSize: 10, nextPageToken: '' });
      expect(page.tasks[0]?.id).toBe(asked.id);
      const canceled = await client.cancelTask({ id: asked.id, tenant: '', metadata: {} });
      expect(canceled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    });

    test('C13 B01 streams a new task, a reply, and an existing task', async () => {
      const asked = await collect(client.sendMessageStream(say('ask')));
      expect(asked[0]?.payload?.$case).toBe('task');
      const { id } = (asked[0]?.payload as { value: Task }).value;
      const subscribed = client.resubscribeTask({ id, tenant: '' });
      const first = await subscribed.next();
      expect((first.value as StreamResponse).payload?.$case).toBe('task');
      const answered = await collect(client.sendMessageStream(say('Riga', { taskId: id })));
      const last = answered.at(-1)?.payload;
      expect(last?.$case === 'statusUpdate' && last.value.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
      expect((await collect(subscribed)).at(-1)).toEqual(answered.at(-1));
    });

    test('C13 C04 creates, reads, lists and deletes push notification configs', async () => {
      const { id: taskId } = asTask(await client.sendMessage(say('ask')));
      const authentication = { scheme: 'Bearer', credentials: 'k' };
      const url = 'https://hooks.example/a2a';
      const given = { tenant: '', id: 'c', taskId, url, token: 't', authentication };
      expect(await client.createTaskPushNotificationConfig(given)).toEqual(given);
      expect(await client.getTaskPushNotificationConfig({ tenant: '', taskId, id: 'c' })).toEqual(given);
      const list = { tenant: '', taskId, pageSize: 0, pageToken: '' };
      expect((await client.listTaskPushNotificationConfig(list)).configs).toEqual([given]);
      for (let twice = 0; twice < 2; twice += 1) {
        await client.deleteTaskPushNotificationConfig({ tenant: '', taskId, id: 'c' });
      }
      expect((await client.listTaskPushNotificationConfig(list)).configs).toEqual([]);
      const gone = client.getTaskPushNotificationConfig({ tenant: '', taskId, id: 'c' });
      await expect(gone).rejects.toThrow(TaskNotFoundError);
    });

    test('C13 C09 reads every error as what it is', async () => {
      const { id } = asTask(await client.sendMessage(say('hello')));
      await expect(client.getTask({ id: 'task.unknown', tenant: '' })).rejects.toThrow(TaskNotFoundError);
      await expect(client.cancelTask({ id, tenant: '', metadata: {} })).rejects.toThrow(
        TaskNotCancelableError,
      );
      await expect(client.sendMessage(say('more', { taskId: id }))).rejects.toThrow(
        UnsupportedOperationError,
      );
      await expect(collect(client.resubscribeTask({ id, tenant: '' }))).rejects.toThrow(
        UnsupportedOperationError,
      );
      const image = say('', { parts: [{ raw: 'AAEC', mediaType: 'image/png' }] });
      await expect(client.sendMessage(image)).rejects.toThrow(ContentTypeNotSupportedError);
    });
  },
);

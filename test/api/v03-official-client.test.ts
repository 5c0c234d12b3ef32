import { randomUUID } from 'node:crypto';
import { SendMessageRequest, TaskState, type StreamResponse, type Task } from '@a2a-js/sdk';
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
  type Client,
} from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import { TaskNotCancelableError, TaskNotFoundError, UnsupportedOperationError } from '@a2a-js/sdk/errors';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agent } from './agents.js';
import { apiKeys, bearer } from './callers.js';
import { eventually, startTestApi, type TestApi } from './test-api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ grpcInCard: true });
});
afterAll(() => api.close());

// All of them take it; the SDK exports the classes of their options as types alone.
const COMPAT = { legacyCompat: { enabled: true } } as never;

function say(text: string, message: object = {}, configuration?: object): SendMessageRequest {
  return SendMessageRequest.fromJSON({
    message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...message },
    configuration,
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
  'the official JavaScript client by a 0.3 card over %s',
  (transport) => {
    const connect = (base = `${api.url}/a2a/v0.3/`, fetchImpl = fetch) => {
      const options = Object.assign({ fetchImpl }, COMPAT);
      const factory = new ClientFactory({
        transports: [
          new JsonRpcTransportFactory(options),
          new RestTransportFactory(options),
          new GrpcTransportFactory(COMPAT),
        ],
        preferredTransports: [transport],
        cardResolver: new DefaultAgentCardResolver(COMPAT),
      });
      return factory.createFromUrl(base);
    };
    let client: Client;
    beforeAll(async () => {
      client = await connect();
      expect(client.protocolVersion).toBe('0.3');
    });

    test('C13 D01 D02 sends, reads, asks and cancels twice', async () => {
      const done = asTask(await client.sendMessage(say('hello')));
      expect(done.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
      expect(await client.getTask({ id: done.id, tenant: '' })).toEqual(done);
      const asked = asTask(await client.sendMessage(say('ask')));
      expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
      const answered = asTask(await client.sendMessage(say('Riga', { taskId: asked.id })));
      expect(answered.artifacts[0]?.parts[0]?.content).toEqual({ $case: 'text', value: 'in Riga' });

      const { id } = asTask(await client.sendMessage(say('ask')));
      const cancel = () => client.cancelTask({ id, tenant: '', metadata: {} });
      const canceled = await cancel();
      expect(canceled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
      expect(await cancel()).toEqual(canceled);
    });

    test('C13 X09 its returnImmediately returns at once', async () => {
      const { id, status } = asTask(await client.sendMessage(say('gate', {}, { returnImmediately: true })));
      expect(status?.state).toBe(TaskState.TASK_STATE_SUBMITTED);
      await client.cancelTask({ id, tenant: '', metadata: {} });
    });

    test('C13 D01 D02 streams a new task, a reply, and an existing task', async () => {
      const asked = await collect(client.sendMessageStream(say('ask')));
      expect(asked[0]?.payload?.$case).toBe('task');
      const { id } = (asked[0]?.payload as { value: Task }).value;
      const subscribed = client.resubscribeTask({ id, tenant: '' });
      expect(((await subscribed.next()).value as StreamResponse).payload?.$case).toBe('task');
      await eventually(() => api.app.openStreams > 0);
      const answered = await collect(client.sendMessageStream(say('Riga', { taskId: id })));
      const last = answered.at(-1)?.payload;
      expect(last?.$case === 'statusUpdate' && last.value.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
      expect((await collect(subscribed)).at(-1)).toEqual(answered.at(-1));
    });

    test('C13 A03 reads a direct answer', async () => {
      const direct = await connect(`${api.url}/agents/direct/a2a/v0.3/`);
      const content = { $case: 'text', value: 'directly' };
      expect(await direct.sendMessage(say('say'))).toMatchObject({ parts: [{ content }] });
      const frames = await collect(direct.sendMessageStream(say('say')));
      expect(frames).toMatchObject([{ payload: { $case: 'message', value: { parts: [{ content }] } } }]);
    });

    test('C13 C11 a file and data go in and come out', async () => {
      const parts = [
        { raw: 'AAECAwQ=', filename: 'a.json', mediaType: 'application/json' },
        { url: 'https://example.com/a.txt', mediaType: 'text/plain' },
        { data: { a: [1, null, { b: 'ü' }] } },
        { data: [1, 2] },
        { text: 'hello' },
      ];
      const { id } = asTask(await client.sendMessage(say('', { parts })));
      const [message] = (await client.getTask({ id, tenant: '' })).history;
      const contents = message?.parts.map(({ content, mediaType }) => [content?.value, mediaType]);
      expect(contents).toEqual([
        [Buffer.from([0, 1, 2, 3, 4]), 'application/json'],
        ['https://example.com/a.txt', 'text/plain'],
        [{ a: [1, null, { b: 'ü' }] }, ''],
        // This client’s 0.3 HTTP+JSON drops the mark that says what is wrapped.
        [transport === 'JSONRPC' ? [1, 2] : { value: [1, 2] }, ''],
        ['hello', ''],
      ]);
    });

    test('C13 C06 reads the extended card, with its credentials', async () => {
      const extendedCard = { description: 'More than the public knows' };
      const closed = await startTestApi({
        authenticator: apiKeys(),
        agents: [agent('has', { extendedCard })],
      });
      try {
        const fetchImpl: typeof fetch = (input, init) =>
          fetch(input, { ...init, headers: { ...(init?.headers as object), ...bearer('alice') } });
        const client = await connect(`${closed.url}/a2a/v0.3/`, fetchImpl);
        const card = await client.getAgentCard();
        expect(card.description).toBe('More than the public knows');
        expect(card.securitySchemes).toMatchObject({
          bearer: { scheme: { $case: 'httpAuthSecurityScheme', value: { scheme: 'Bearer' } } },
        });
      } finally {
        await closed.close();
      }
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
    });
  },
);

import { once } from 'node:events';
import { Client, credentials, type ServiceError, type StatusObject } from '@grpc/grpc-js';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Task } from '../../core/task.js';
import { readMessage } from '../../wire/protobuf/read.js';
import { enumeration, field, message } from '../../wire/protobuf/message.js';
import { V03_SERVICE } from '../../wire/v03/proto.js';
import { V1_SERVICE } from '../../wire/v1/proto.js';
import { GrpcClient, type GrpcAnswer } from '../support/grpc-client.js';
import { sendParams } from '../support/rpc-client.js';
import { agent } from './agents.js';
import { apiKeys, bearer } from './callers.js';
import { eventually, startTestApi, type TestApi } from './test-api.js';

let api: TestApi;
const log: Record<string, unknown>[] = [];
beforeAll(async () => {
  const logger = pino(
    { level: 'info' },
    { write: (line) => void log.push(JSON.parse(line) as object as never) },
  );
  api = await startTestApi({ logger, settings: { maxBodyBytes: 64 * 1024, stalledReaderMs: 400 } });
});
afterAll(() => api.close());

const taskOf = ({ result, error }: GrpcAnswer): Task => {
  expect(error).toBeUndefined();
  return (result as { task: Task }).task;
};

describe('metadata', () => {
  test('C07 C14 extensions that are named are activated, and the request keeps its id', async () => {
    const uri = 'urn:a2a-temporal:extension:resumable-streams:v1';
    const headers = { 'A2A-Extensions': `urn:other, ${uri}`, 'X-Request-Id': 'mine-1' };
    const { metadata } = await api.grpc.call('ListTasks', {}, headers);
    expect(metadata).toMatchObject({ 'a2a-extensions': uri, 'x-request-id': 'mine-1' });
    expect(log).toContainEqual(
      expect.objectContaining({
        msg: 'request',
        requestId: 'mine-1',
        method: 'gRPC',
        path: '/lf.a2a.v1.A2AService/ListTasks',
        operation: 'ListTasks',
        agent: 'main',
        status: 0,
        outcome: 'ok',
      }),
    );
  });

  test('C07 a version that is not spoken here is refused', async () => {
    expect((await api.grpc.call('ListTasks', {}, { 'a2a-version': '1.0.7' })).error).toBeUndefined();
    const { error } = await api.grpc.call('ListTasks', {}, { 'a2a-version': '0.3' });
    expect(error).toMatchObject({ code: 12, details: [{ reason: 'VERSION_NOT_SUPPORTED' }] });
  });

  test('B02 B07 each frame has its sequence number, and the stream ends with the last one', async () => {
    const call = api.grpc.open('SendStreamingMessage', sendParams('tokens 3'));
    const { response } = V1_SERVICE.methods.find(({ name }) => name === 'SubscribeToTask')!;
    const seqs: unknown[] = [];
    const status = once(call, 'status') as Promise<[StatusObject]>;
    for await (const bytes of call) {
      const [carried] = Object.values(readMessage(response, bytes as Buffer)) as {
        metadata: { $seq: number };
      }[];
      seqs.push(carried!.metadata.$seq);
    }
    expect(seqs).toEqual(Array.from(seqs, (_, at) => at + 1));
    expect((await status)[0].metadata.get('last-event-id')).toEqual([String(seqs.length)]);
  });
});

describe('the agent is named by the tenant', () => {
  test('F06 {code} and {org}/{code}; none is the default agent', async () => {
    const mine = taskOf(await api.grpc.call('SendMessage', { ...sendParams('hello'), tenant: 'acme/other' }));
    const get = async (tenant?: string) =>
      (await api.grpc.call('GetTask', { id: mine.id, ...(tenant !== undefined && { tenant }) })).error?.code;
    expect(await get('acme/other')).toBeUndefined();
    for (const tenant of [undefined, 'other', 'acme/main', 'acme/acme/other', 'main']) {
      expect(await get(tenant)).toBe(5);
    }
    const overHttp = await fetch(`${api.url}/agents/other/a2a/rest/acme/tasks/${mine.id}`);
    expect(overHttp.status).toBe(200);
    expect(
      taskOf(await api.grpc.call('SendMessage', { ...sendParams('hello'), tenant: 'other' })).id,
    ).toMatch(/^task\./);
  });

  test.each(['nobody', 'acme/nobody', 'other/', '/'])('F06 %s names no agent', async (tenant) => {
    const { error } = await api.grpc.call('SendMessage', { ...sendParams('hello'), tenant });
    expect(error).toMatchObject({ code: 5, message: 'There is no such agent' });
  });

  test('C06 C13 cards list gRPC with that tenant, unless they shall not', async () => {
    const listing = await startTestApi({ grpcInCard: true });
    try {
      const rows = async (at: TestApi, path: string) => {
        const card = (await (await fetch(`${at.url}${path}/.well-known/agent-card.json`)).json()) as {
          supportedInterfaces: { protocolBinding: string; protocolVersion: string }[];
        };
        return card.supportedInterfaces.filter(
          ({ protocolBinding, protocolVersion }) => protocolBinding === 'GRPC' && protocolVersion === '1.0',
        );
      };
      const row = { url: listing.grpcAddress, protocolBinding: 'GRPC', protocolVersion: '1.0' };
      expect(await rows(listing, '')).toEqual([row]);
      expect(await rows(listing, '/agents/other')).toEqual([{ ...row, tenant: 'other' }]);
      expect(await rows(api, '')).toEqual([]);
    } finally {
      await listing.close();
    }
  });
});

describe('what cannot be taken', () => {
  test('C12 a message above the size of a body is refused unread', async () => {
    const { error } = await api.grpc.call('SendMessage', sendParams('x'.repeat(70_000)));
    expect(error?.code).toBe(8);
  });

  test('C09 C11 bytes that are no message', async () => {
    const { error } = await api.grpc.raw('SendMessage', Buffer.from([0x12, 0xff, 0xff, 0x01]));
    expect(error).toMatchObject({ code: 3, message: 'The message is not valid protobuf' });
  });

  test('C09 an error fits into trailers, whatever was asked for', async () => {
    const { error } = await api.grpc.call('GetTask', { id: 'ü'.repeat(20_000) });
    expect(error).toMatchObject({
      code: 5,
      details: [{ reason: 'TASK_NOT_FOUND', domain: 'a2a-protocol.org' }],
    });
  });

  test('C13 a page size of zero is the usual one', async () => {
    expect((await api.grpc.call('ListTasks', { pageSize: 0 })).result).toMatchObject({ pageSize: 50 });
  });
});

describe('a client that is slow or gone', () => {
  test('A19 a deadline that passes ends the waiting and not the task', async () => {
    const sent = api.grpc.call('SendMessage', sendParams('gate', { contextId: 'deadline' }), {
      'grpc-timeout': '200m',
    });
    expect((await sent).error?.code).toBe(4);
    await eventually(() => api.app.service.openReaders === 0);
    await eventually(() => log.some(({ outcome, method }) => outcome === 'client_gone' && method === 'gRPC'));
    const { result } = await api.grpc.call('ListTasks', { contextId: 'deadline' });
    const [task] = (result as { tasks: Task[] }).tasks;
    expect(task?.status.state).toBe('TASK_STATE_WORKING');
    api.worker.run(task!.id).gate.open();
  });

  test('B08 B10 a reader that takes nothing holds a cursor, and is cut off', async () => {
    const call = api.grpc.open('SendStreamingMessage', sendParams('tokens 3000'));
    // Paused from the beginning: nothing but what HTTP/2 itself buffers is taken.
    call.on('error', () => undefined);
    call.pause();
    await eventually(() => api.app.openStreams === 1);
    const others = await api.grpc.stream('SendStreamingMessage', sendParams('hello')).next();
    expect(others.done).toBe(false);
    await eventually(() => api.app.openStreams === 0 && api.app.service.openReaders === 0, 20_000);
    call.cancel();
  });
});

describe('health and shutdown', () => {
  const check = (address: string): Promise<string | ServiceError> => {
    const client = new Client(address, credentials.createInsecure());
    const same = (bytes: Buffer) => bytes;
    const kind = message({ status: field(1, enumeration('UNKNOWN', 'SERVING', 'NOT_SERVING')) });
    return new Promise((resolve) =>
      client.makeUnaryRequest(
        '/grpc.health.v1.Health/Check',
        same,
        same,
        Buffer.alloc(0),
        (error, answer) => {
          client.close();
          resolve(error ?? String(readMessage(kind, answer!).status));
        },
      ),
    );
  };

  test('F08 F09 at shutdown streams end with a hint, sends are answered, and the probe says so', async () => {
    const own = await startTestApi();
    try {
      expect(await check(own.grpcAddress)).toBe('SERVING');
      const sending = own.grpc.call('SendMessage', sendParams('gate'));
      const stream = own.grpc.stream('SendStreamingMessage', sendParams('gate'));
      await stream.next();
      await stream.next();
      const broken = expect(stream.next()).rejects.toMatchObject({
        failure: {
          code: 14,
          details: expect.arrayContaining([
            expect.objectContaining({ '@type': 'type.googleapis.com/google.rpc.RetryInfo' }),
          ]) as unknown,
        },
      });
      own.app.close();
      expect(await check(own.grpcAddress)).toBe('NOT_SERVING');
      await broken;
      expect(taskOf(await sending).status.state).toBe('TASK_STATE_WORKING');
      const refused = own.grpc.stream('SendStreamingMessage', sendParams('hello')).next();
      await expect(refused).rejects.toMatchObject({ failure: { code: 14 } });
    } finally {
      await own.close();
    }
  });
});

describe('0.3', () => {
  const sendParams03 = (text: string, fields: object = {}) => ({
    message: { messageId: 'm', role: 'ROLE_USER', content: [{ text }], ...fields },
    configuration: { blocking: true },
  });

  test('D02 D06 names are resources, cancel can be repeated, and 1.0 reads the same task', async () => {
    const client = new GrpcClient(api.grpcAddress, V03_SERVICE);
    try {
      const sent = await client.call('SendMessage', sendParams03('ask'));
      const { id } = taskOf(sent);
      const canceled = await client.call('CancelTask', { name: `tasks/${id}` });
      expect(canceled.result).toMatchObject({ id, status: { state: 'TASK_STATE_CANCELLED' } });
      expect(await client.call('CancelTask', { name: `tasks/${id}` })).toMatchObject({
        result: canceled.result,
      });
      expect((await api.grpc.call('GetTask', { id })).result).toMatchObject({
        status: { state: 'TASK_STATE_CANCELED' },
      });
      for (const name of ['', id, `tasks/${id}/pushNotificationConfigs/c`]) {
        const { error } = await client.call('GetTask', { name });
        expect(error).toMatchObject({ code: 3 });
        expect(JSON.stringify(error?.details)).toContain('"field":"name"');
      }
    } finally {
      client.close();
    }
  });

  test('B02 B12 D02 its frames have their sequence numbers, too, and the last status is final', async () => {
    const client = new GrpcClient(api.grpcAddress, V03_SERVICE);
    try {
      const frames: { metadata: { $seq: number }; final?: boolean }[] = [];
      for await (const frame of client.stream('SendStreamingMessage', sendParams03('hello'))) {
        frames.push(Object.values(frame)[0] as { metadata: { $seq: number }; final?: boolean });
      }
      const seqs = frames.map(({ metadata }) => metadata.$seq);
      expect(seqs).toEqual([...seqs].sort((one, other) => one - other));
      expect(frames.map(({ final = false }) => final)).toEqual(
        frames.map((_, at) => at === frames.length - 1),
      );
    } finally {
      client.close();
    }
  });

  test('C06 F06 D02 the extended card has its schemes and requirements as the proto says them', async () => {
    const closed = await startTestApi({
      authenticator: apiKeys(),
      agents: [agent('has', { extendedCard: { description: 'More' } })],
    });
    const client = new GrpcClient(closed.grpcAddress, V03_SERVICE);
    try {
      expect((await client.call('GetExtendedAgentCard', {})).error?.code).toBe(16);
      const { result, error } = await client.call('GetExtendedAgentCard', {}, bearer('alice'));
      expect(error).toBeUndefined();
      expect(result).toMatchObject({
        description: 'More',
        securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
        security: expect.arrayContaining([{ schemes: { bearer: {} } }]) as unknown,
      });
    } finally {
      client.close();
      await closed.close();
    }
  });
});

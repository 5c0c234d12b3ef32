import { StreamResponse as SdkEvent, Task as SdkTask } from '@a2a-js/sdk';
import { LegacyJsonRpcTransport, LegacyRestTransport } from '@a2a-js/sdk/compat/v0_3/client';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { A2AError } from '../../core/errors.js';
import { isSettled } from '../../core/states.js';
import { TASK_STATES, type Message, type Part, type StreamResponse, type Task } from '../../core/task.js';
import type { Codec } from '../../wire/codec.js';
import { createCodecs } from '../../wire/codecs.js';
import type { Operation } from '../../wire/requests.js';
import * as arbitrary from './arbitraries.js';

const codecs = createCodecs({ parts: 10, depth: 8 });
const { v03, 'v03-proto': proto } = codecs;
const BOTH: [string, Codec][] = [
  ['JSON-RPC', v03],
  ['HTTP+JSON', proto],
];

/** The message as a client of this dialect would send it. */
function spoken(codec: Codec, message: Message): object {
  const said = JSON.parse(codec.encodeEvent({ message })!) as { message?: object };
  return said.message ?? said;
}

const read = (codec: Codec, message: object, rest: object = {}) =>
  codec.decode('SendMessage', { message, ...rest });

const jsonMessage = (fields: object = {}) => ({
  messageId: 'm1',
  role: 'user',
  parts: [{ kind: 'text', text: 'hi' }],
  ...fields,
});
const protoMessage = (fields: object = {}) => ({
  messageId: 'm1',
  role: 'ROLE_USER',
  content: [{ text: 'hi' }],
  ...fields,
});

/** 0.3 has a place for names and media types in files alone. */
function sayable<T extends { parts: Part[] }>(content: T): T {
  const parts = content.parts.map((part): Part => {
    if (!('text' in part) && !('data' in part)) return part;
    const { filename: _, mediaType: __, ...rest } = part;
    return rest;
  });
  return { ...content, parts };
}

function sayableTask(task: Task): Task {
  const { message } = task.status;
  return {
    ...task,
    status: { ...task.status, ...(message !== undefined && { message: sayable(message) }) },
    ...(task.history !== undefined && { history: task.history.map(sayable) }),
    ...(task.artifacts !== undefined && { artifacts: task.artifacts.map(sayable) }),
  };
}

function sayableEvent(event: StreamResponse): StreamResponse {
  if ('task' in event) return { task: sayableTask(event.task) };
  if ('message' in event) return { message: sayable(event.message) };
  if ('artifactUpdate' in event) {
    const { artifactUpdate } = event;
    return { artifactUpdate: { ...artifactUpdate, artifact: sayable(artifactUpdate.artifact) } };
  }
  const { status, ...rest } = event.statusUpdate;
  const { message } = status;
  return { statusUpdate: { ...rest, status: { ...status, ...(message && { message: sayable(message) }) } } };
}

/** The fields that a request is refused for. */
function violations(decode: () => unknown): string[] {
  try {
    decode();
  } catch (error) {
    if (error instanceof A2AError && error.code === 'INVALID_PARAMS') {
      return error.violations.map(({ field }) => field);
    }
    throw error;
  }
  return [];
}

describe.each(BOTH)('over %s', (name, codec) => {
  test('D01 D02 X32 every message that 0.3 can say is read as it was said', () => {
    fc.assert(
      fc.property(arbitrary.message, (said) => {
        const message: Message = { ...sayable(said), role: 'ROLE_USER' };
        const { referenceTaskIds, ...rest } = message;
        // 0.3's proto has no field for it.
        const kept = referenceTaskIds === undefined || name === 'HTTP+JSON' ? rest : message;
        expect(read(codec, spoken(codec, message)).message).toEqual(kept);
      }),
    );
  });

  test('D01 D02 X32 events are as long as they have words, and whole', () => {
    fc.assert(
      fc.property(arbitrary.event, (event) => {
        const json = codec.encodeEvent(event);
        const fragment = 'artifactUpdate' in event && event.artifactUpdate.lastChunk !== true;
        expect(json === undefined).toBe(fragment);
        expect(json ?? '').not.toMatch(/[\r\n]/);
      }),
    );
  });

  test('B12 fragments are sent where the server is set so', () => {
    const artifact = { artifactId: 'a', parts: [{ text: 'x' }] };
    const event = {
      artifactUpdate: { taskId: 't', contextId: 'c', artifact, append: true, lastChunk: false },
    };
    const chatty = createCodecs({ parts: 1, depth: 1, legacyFragments: true });
    expect(codec.encodeEvent(event)).toBeUndefined();
    expect(chatty[codec === v03 ? 'v03' : 'v03-proto'].encodeEvent(event)).toContain('"append":true');
  });

  test.each(TASK_STATES)('D01 D02 X32 a status update to %s says whether it is final', (state) => {
    const status = { state, timestamp: '2025-10-28T10:30:00.000Z' };
    const json = codec.encodeEvent({ statusUpdate: { taskId: 't', contextId: 'c', status } })!;
    expect(json).toContain(`"final":${isSettled(state)}`);
  });

  test('C11 D01 D02 __proto__ and friends are data', () => {
    const text = '{"__proto__":{"polluted":1},"constructor":{"prototype":1},"toString":"x"}';
    const odd = JSON.parse(text) as Record<string, never>;
    const said = spoken(codec, {
      messageId: 'm',
      role: 'ROLE_USER',
      parts: [
        { data: odd, metadata: odd },
        { data: [1], metadata: odd },
      ],
      metadata: odd,
    });
    const { message } = read(codec, JSON.parse(JSON.stringify(said)) as object);
    expect(JSON.stringify(message.metadata)).toBe(text);
    expect(message.parts.map((part) => JSON.stringify(part))).toEqual([
      `{"data":${text},"metadata":${text}}`,
      `{"data":[1],"metadata":${text}}`,
    ]);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test('C12 D01 D02 a file of 5 MB goes in and comes out', () => {
    const raw = Buffer.alloc(5 * 1024 * 1024, 'ab\0').toString('base64');
    const message: Message = { messageId: 'm', role: 'ROLE_USER', parts: [{ raw }] };
    expect(read(codec, spoken(codec, message)).message).toEqual(message);
  });

  test('D01 D02 C11 the decoder only ever throws A2A errors, whatever it is given', () => {
    const anything = fc.anything({ withNullPrototype: true, withBigInt: false });
    const operations: Operation[] = [
      'SendMessage',
      'GetTask',
      'ListTasks',
      'CancelTask',
      'CreateTaskPushNotificationConfig',
      'GetTaskPushNotificationConfig',
      'GetExtendedAgentCard',
    ];
    const request = fc.record({
      message: fc.oneof(anything, fc.record({ parts: anything, content: anything, role: anything })),
      id: anything,
      configuration: anything,
      config: anything,
      pushNotificationConfig: anything,
    });
    fc.assert(
      fc.property(fc.constantFrom(...operations), fc.oneof(anything, request), (operation, params) => {
        try {
          codec.decode(operation, params);
        } catch (error) {
          expect(error).toBeInstanceOf(A2AError);
          expect((error as A2AError).code).toBe('INVALID_PARAMS');
        }
      }),
      { numRuns: 300 },
    );
  });

  test('D02 X45 a cancel may be repeated', () => {
    expect(codec.decode('CancelTask', { id: 't', colour: 'red' })).toEqual({ id: 't', repeatable: true });
  });

  test('D01 D02 a push configuration is asked for by task, with or without its id', () => {
    const get = (fields: object) => codec.decode('GetTaskPushNotificationConfig', fields);
    expect(get({ id: 't' })).toEqual({ taskId: 't' });
    expect(get({ id: 't', pushNotificationConfigId: 'c' })).toEqual({ taskId: 't', id: 'c' });
    expect(codec.decode('ListTaskPushNotificationConfigs', { id: 't' })).toEqual({ taskId: 't' });
    expect(violations(() => codec.decode('DeleteTaskPushNotificationConfig', { id: 't' }))).toEqual([
      'pushNotificationConfigId',
    ]);
  });
});

describe('JSON-RPC', () => {
  test('D01 X32 a request is read whole, and unknown fields are ignored', () => {
    const pushNotificationConfig = {
      id: 'p',
      url: 'https://example.com/hook',
      token: 'secret',
      authentication: { schemes: ['Bearer', 'Basic'], credentials: 'xyz' },
    };
    const request = read(v03, jsonMessage({ kind: 'message', referenceTaskIds: ['t0'], colour: 'red' }), {
      tenant: 'acme',
      configuration: {
        acceptedOutputModes: ['a/b'],
        historyLength: 2,
        blocking: false,
        pushNotificationConfig,
      },
      metadata: { b: 2 },
    });
    expect(request).toEqual({
      tenant: 'acme',
      message: {
        messageId: 'm1',
        role: 'ROLE_USER',
        parts: [{ text: 'hi' }],
        referenceTaskIds: ['t0'],
      },
      options: { acceptedOutputModes: ['a/b'], historyLength: 2, metadata: { b: 2 } },
      returnImmediately: true,
      push: {
        id: 'p',
        url: 'https://example.com/hook',
        token: 'secret',
        authentication: { scheme: 'Bearer', credentials: 'xyz' },
      },
    });
  });

  test.each<[string, object, Part]>([
    ['text', { kind: 'text', text: '' }, { text: '' }],
    [
      'bytes',
      { kind: 'file', file: { bytes: 'AA', name: 'a', mimeType: 'b/c' } },
      { raw: 'AA==', filename: 'a', mediaType: 'b/c' },
    ],
    ['a URI', { kind: 'file', file: { uri: 'https://e.com/a' } }, { url: 'https://e.com/a' }],
    ['data', { kind: 'data', data: {} }, { data: {} }],
    ['null data', { kind: 'data', data: null }, { data: null }],
    ['array data', { kind: 'data', data: [1] }, { data: [1] }],
    [
      'wrapped data',
      { kind: 'data', data: { value: 7 }, metadata: { data_part_compat: true, a: 1 } },
      { data: 7, metadata: { a: 1 } },
    ],
    ['content of other kinds, which does not count', { kind: 'text', text: 'a', data: {} }, { text: 'a' }],
  ])('C11 D01 X22 %s: taken', (_, given, expected) => {
    expect(read(v03, jsonMessage({ parts: [given] })).message.parts).toEqual([expected]);
  });

  test.each<[string, object, string]>([
    ['no kind', { text: 'a' }, 'message.parts[0].kind'],
    ['an unknown kind', { kind: 'video' }, 'message.parts[0].kind'],
    ['a kind from a prototype', { kind: 'constructor' }, 'message.parts[0].kind'],
    ['no text', { kind: 'text' }, 'message.parts[0].text'],
    ['no data', { kind: 'data' }, 'message.parts[0].data'],
    ['no file', { kind: 'file' }, 'message.parts[0].file'],
    ['an empty file', { kind: 'file', file: {} }, 'message.parts[0].file'],
    ['bytes and a URI', { kind: 'file', file: { bytes: '', uri: 'a:b' } }, 'message.parts[0].file'],
    ['no base64', { kind: 'file', file: { bytes: '*' } }, 'message.parts[0].file.bytes'],
    ['deep data', { kind: 'data', data: [[[[[[[[[]]]]]]]]] }, 'message.parts[0].data'],
  ])('C11 D01 X22 a part with %s: refused by name', (_, given, field) => {
    expect(violations(() => read(v03, jsonMessage({ parts: [given] })))).toEqual([field]);
  });

  test.each<[object, string]>([
    [{ messageId: '' }, 'message.messageId'],
    [{ role: 'agent' }, 'message.role'],
    [{ role: 'ROLE_USER' }, 'message.role'],
    [{ kind: 'task' }, 'message.kind'],
    [{ parts: [] }, 'message.parts'],
    [{ parts: undefined }, 'message.parts'],
    [{ contextId: 'a\nb' }, 'message.contextId'],
  ])('D01 X22 a message with %j: refused by name', (fields, field) => {
    expect(violations(() => read(v03, jsonMessage(fields)))).toEqual([field]);
  });

  test('D01 credentials need a scheme; an empty authentication is none', () => {
    const set = (authentication: object) =>
      v03.decode('CreateTaskPushNotificationConfig', {
        taskId: 't',
        pushNotificationConfig: { url: 'https://example.com', authentication },
      });
    expect(set({}).config).toEqual({ url: 'https://example.com' });
    expect(set({ schemes: [] }).config).toEqual({ url: 'https://example.com' });
    expect(violations(() => set({ schemes: [], credentials: 'x' }))).toEqual([
      'pushNotificationConfig.authentication.schemes',
    ]);
  });

  test('D01 push configurations are shown below their task', () => {
    const config = { id: 'p', taskId: 't', url: 'https://e.com', authentication: { scheme: 'Bearer' } };
    const shown = {
      taskId: 't',
      pushNotificationConfig: { id: 'p', url: 'https://e.com', authentication: { schemes: ['Bearer'] } },
    };
    expect(JSON.parse(v03.encodePushConfig(config))).toEqual(shown);
    expect(JSON.parse(v03.encodePushConfigList({ configs: [config], nextPageToken: '' }))).toEqual([shown]);
    expect(v03.encodeDeleted()).toBe('null');
  });
});

describe('HTTP+JSON', () => {
  test.each<[string, object, Part]>([
    [
      'snake case',
      { file: { file_with_bytes: 'AA==', mime_type: 'b/c' } },
      { raw: 'AA==', mediaType: 'b/c' },
    ],
    ['an empty URI beside bytes', { file: { fileWithUri: '', fileWithBytes: 'AA==' } }, { raw: 'AA==' }],
    ['data', { data: { data: { a: [null] } } }, { data: { a: [null] } }],
    [
      'a name and metadata',
      { file: { fileWithUri: 'a:b', name: 'n' }, metadata: { a: 1 } },
      { url: 'a:b', filename: 'n', metadata: { a: 1 } },
    ],
    ['unknown fields', { text: 'a', kind: 'data' }, { text: 'a' }],
  ])('C11 D02 X22 a part with %s: taken', (_, given, expected) => {
    expect(read(proto, protoMessage({ content: [given] })).message.parts).toEqual([expected]);
  });

  test.each<[string, object, string]>([
    ['no content', {}, 'message.content[0]'],
    ['two contents', { text: 'a', data: { data: {} } }, 'message.content[0]'],
    ['data that is no Struct', { data: { data: [1] } }, 'message.content[0].data.data'],
    ['an empty file', { file: {} }, 'message.content[0].file'],
  ])('C11 D02 X22 a part with %s: refused by name', (_, given, field) => {
    expect(violations(() => read(proto, protoMessage({ content: [given] })))).toEqual([field]);
  });

  test('D02 a configuration is taken bare, and with the request around it', () => {
    const bare = {
      name: 'tasks/t/pushNotificationConfigs/p',
      pushNotificationConfig: { url: 'https://e.com' },
    };
    const decode = (fields: object) =>
      proto.decode('CreateTaskPushNotificationConfig', { taskId: 't', ...fields }).config;
    expect(decode(bare)).toEqual({ url: 'https://e.com' });
    expect(decode({ parent: 'tasks/t', config_id: 'p', config: bare })).toEqual({
      url: 'https://e.com',
      id: 'p',
    });
    expect(violations(() => decode({}))).toEqual(['pushNotificationConfig']);
    expect(JSON.parse(proto.encodePushConfig({ id: 'p', taskId: 't', url: 'https://e.com' }))).toEqual({
      name: 'tasks/t/pushNotificationConfigs/p',
      pushNotificationConfig: { id: 'p', url: 'https://e.com' },
    });
  });
});

describe('what the official client reads is what 1.0 says', () => {
  /** A transport to a server that answers with this body. */
  const fetchOf =
    (body: string, type = 'application/json') =>
    () =>
      Promise.resolve(new Response(body, { headers: { 'content-type': type } }));
  const rpc = (result: string) => `{"jsonrpc":"2.0","id":1,"result":${result}}`;
  const endpoint = 'http://127.0.0.1/';

  /** As the client understands the same thing in 1.0, but for the order of fields. */
  const expected = (task: Task) => SdkTask.fromJSON(JSON.parse(codecs.v1.encodeTask(sayableTask(task))));
  /** What the client itself loses: it copies metadata by assignment, and reads no null data in 1.0. */
  const losable = (value: object) => /__proto__|"data":null/.test(JSON.stringify(value));

  test('D01 X32 C13 tasks over JSON-RPC', async () => {
    await fc.assert(
      fc.asyncProperty(arbitrary.task, async (task) => {
        fc.pre(!losable(task));
        const client = new LegacyJsonRpcTransport({
          endpoint,
          fetchImpl: fetchOf(rpc(v03.encodeTask(task))),
        });
        expect(await client.getTask({ id: 't', tenant: '' })).toEqual(expected(task));
      }),
    );
  });

  test('D01 X32 C13 events over JSON-RPC', async () => {
    await fc.assert(
      fc.asyncProperty(arbitrary.event, async (event) => {
        const json = v03.encodeEvent(event);
        fc.pre(!losable(event) && json !== undefined);
        const fetchImpl = fetchOf(`data: ${rpc(json)}\n\n`, 'text/event-stream');
        const client = new LegacyJsonRpcTransport({ endpoint, fetchImpl });
        const { value } = await client.resubscribeTask({ id: 't', tenant: '' }).next();
        expect(value).toEqual(SdkEvent.fromJSON(JSON.parse(codecs.v1.encodeEvent(sayableEvent(event))!)));
      }),
    );
  });

  test('D02 X32 C13 tasks over HTTP+JSON', async () => {
    await fc.assert(
      fc.asyncProperty(arbitrary.task, async (task) => {
        const json = proto.encodeTask(task);
        fc.pre(!losable(task) && !json.includes('data_part_compat'));
        const client = new LegacyRestTransport({ endpoint, fetchImpl: fetchOf(json) });
        const understood = await client.getTask({ id: 't', tenant: '' });
        expect(withoutLost(understood)).toEqual(withoutLost(expected(task)));
      }),
    );
  });

  /** This client’s proto knows no metadata of parts, names of files and reference tasks; some extensions it forgets. */
  function withoutLost(task: SdkTask): unknown {
    const lost = ['metadata', 'filename', 'referenceTaskIds', 'extensions'];
    return JSON.parse(
      JSON.stringify(task, (key, value: unknown) => (lost.includes(key) ? undefined : value)),
    );
  }
});

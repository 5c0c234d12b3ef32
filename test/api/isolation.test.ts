import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Task } from '../../core/task.js';
import { frames, sendParams } from '../support/rpc-client.js';
import { call, read, stream, BINDINGS } from './bindings.js';
import { apiKeys, bearer } from './callers.js';
import { startTestApi, type TestApi } from './test-api.js';

/** Made by nobody, and of the shape that ids have. */
const UNKNOWN = 'task.00000000-0000-7000-8000-000000000000';

let api: TestApi;
/** Alice's, one in each kind of state. */
let tasks: Record<'completed' | 'paused' | 'working', Task>;
beforeAll(async () => {
  api = await startTestApi({ authenticator: apiKeys() });
  const send = async (text: string, configuration = {}) => {
    const params = sendParams(text, { contextId: `alice-${text}`, configuration });
    return (await call(api, 'JSON-RPC', 'SendMessage', params, bearer('alice'))).result.task;
  };
  tasks = {
    completed: await send('hello'),
    paused: await send('ask'),
    working: await send('gate', { returnImmediately: true }),
  };
});
afterAll(() => api.close());

interface Attempt {
  verb: string;
  path: string;
  body?: object;
  headers?: Record<string, string>;
}

const rpc = (method: string, params: object, headers = {}): Attempt => ({
  verb: 'POST',
  path: '/',
  body: { jsonrpc: '2.0', id: 1, method, params },
  headers,
});
const rest = (verb: string, path: string, body?: object, headers = {}): Attempt => ({
  verb,
  path: `/a2a/rest${path}`,
  ...(body && { body }),
  headers,
});
const agentic = (verb: string, path: string, body?: object): Attempt => ({
  verb,
  path: `/v2/agentic${path}`,
  ...(body && { body }),
});
const older = (fields: object) => ({
  message: {
    kind: 'message',
    messageId: 'm',
    role: 'user',
    parts: [{ kind: 'text', text: 'again' }],
    ...fields,
  },
});
const CURSOR = { 'last-event-id': '1' };
const message = (fields: object) => sendParams('again', { messageId: 'm', ...fields });

const messagePb = (fields: object) => ({
  message: { messageId: 'm', role: 'ROLE_USER', content: [{ text: 'again' }], ...fields },
});
const HOOK = { url: 'https://example.com' };

/** Every operation that can name a task, over every binding: a new one belongs here. */
const ATTEMPTS: [name: string, attempt: (task: { id: string; contextId: string }) => Attempt][] = [
  ['GetTask', ({ id }) => rpc('GetTask', { id })],
  ['CancelTask', ({ id }) => rpc('CancelTask', { id })],
  ['SubscribeToTask', ({ id }) => rpc('SubscribeToTask', { id })],
  ['SubscribeToTask with a cursor', ({ id }) => rpc('SubscribeToTask', { id }, CURSOR)],
  ['SendMessage to it', ({ id }) => rpc('SendMessage', message({ taskId: id }))],
  [
    'SendMessage to it in its context',
    ({ id, contextId }) => rpc('SendMessage', message({ taskId: id, contextId })),
  ],
  ['SendMessage about it', ({ id }) => rpc('SendMessage', message({ referenceTaskIds: [id] }))],
  ['SendStreamingMessage to it', ({ id }) => rpc('SendStreamingMessage', message({ taskId: id }))],
  [
    'SendStreamingMessage to it with a cursor',
    ({ id }) => rpc('SendStreamingMessage', message({ taskId: id }), CURSOR),
  ],
  [
    'CreateTaskPushNotificationConfig',
    ({ id }) => rpc('CreateTaskPushNotificationConfig', { taskId: id, url: 'https://example.com' }),
  ],
  [
    'GetTaskPushNotificationConfig',
    ({ id }) => rpc('GetTaskPushNotificationConfig', { taskId: id, id: 'c' }),
  ],
  ['ListTaskPushNotificationConfigs', ({ id }) => rpc('ListTaskPushNotificationConfigs', { taskId: id })],
  [
    'DeleteTaskPushNotificationConfig',
    ({ id }) => rpc('DeleteTaskPushNotificationConfig', { taskId: id, id: 'c' }),
  ],

  ['GET a task', ({ id }) => rest('GET', `/tasks/${id}`)],
  ['POST :cancel', ({ id }) => rest('POST', `/tasks/${id}:cancel`)],
  ['GET :subscribe', ({ id }) => rest('GET', `/tasks/${id}:subscribe`)],
  ['POST :subscribe', ({ id }) => rest('POST', `/tasks/${id}:subscribe`)],
  ['POST :subscribe with a cursor', ({ id }) => rest('POST', `/tasks/${id}:subscribe`, undefined, CURSOR)],
  ['POST message:send to it', ({ id }) => rest('POST', '/message:send', message({ taskId: id }))],
  [
    'POST message:send about it',
    ({ id }) => rest('POST', '/message:send', message({ referenceTaskIds: [id] })),
  ],
  ['POST message:stream to it', ({ id }) => rest('POST', '/message:stream', message({ taskId: id }))],
  [
    'POST a config',
    ({ id }) => rest('POST', `/tasks/${id}/pushNotificationConfigs`, { url: 'https://example.com' }),
  ],
  ['GET a config', ({ id }) => rest('GET', `/tasks/${id}/pushNotificationConfigs/c`)],
  ['GET configs', ({ id }) => rest('GET', `/tasks/${id}/pushNotificationConfigs`)],
  ['DELETE a config', ({ id }) => rest('DELETE', `/tasks/${id}/pushNotificationConfigs/c`)],
  [
    'GET how a config’s deliveries stand',
    ({ id }) => rest('GET', `/tasks/${id}/pushNotificationConfigs/c/delivery`),
  ],

  ['0.3 tasks/get', ({ id }) => rpc('tasks/get', { id })],
  ['0.3 tasks/cancel', ({ id }) => rpc('tasks/cancel', { id })],
  ['0.3 tasks/resubscribe', ({ id }) => rpc('tasks/resubscribe', { id })],
  ['0.3 tasks/resubscribe with a cursor', ({ id }) => rpc('tasks/resubscribe', { id }, CURSOR)],
  ['0.3 message/send to it', ({ id }) => rpc('message/send', older({ taskId: id }))],
  ['0.3 message/send about it', ({ id }) => rpc('message/send', older({ referenceTaskIds: [id] }))],
  ['0.3 message/stream to it', ({ id }) => rpc('message/stream', older({ taskId: id }))],
  [
    '0.3 tasks/pushNotificationConfig/set',
    ({ id }) => rpc('tasks/pushNotificationConfig/set', { taskId: id, pushNotificationConfig: HOOK }),
  ],
  ['0.3 tasks/pushNotificationConfig/get', ({ id }) => rpc('tasks/pushNotificationConfig/get', { id })],
  ['0.3 tasks/pushNotificationConfig/list', ({ id }) => rpc('tasks/pushNotificationConfig/list', { id })],
  [
    '0.3 tasks/pushNotificationConfig/delete',
    ({ id }) => rpc('tasks/pushNotificationConfig/delete', { id, pushNotificationConfigId: 'c' }),
  ],
  ['0.3 GET a task', ({ id }) => rest('GET', `/v1/tasks/${id}`)],
  ['0.3 POST :cancel', ({ id }) => rest('POST', `/v1/tasks/${id}:cancel`)],
  ['0.3 GET :subscribe', ({ id }) => rest('GET', `/v1/tasks/${id}:subscribe`)],
  ['0.3 POST message:send to it', ({ id }) => rest('POST', '/v1/message:send', messagePb({ taskId: id }))],
  [
    '0.3 POST message:stream to it',
    ({ id }) => rest('POST', '/v1/message:stream', messagePb({ taskId: id })),
  ],
  [
    '0.3 POST a config',
    ({ id }) => rest('POST', `/v1/tasks/${id}/pushNotificationConfigs`, { pushNotificationConfig: HOOK }),
  ],
  ['0.3 GET a config', ({ id }) => rest('GET', `/v1/tasks/${id}/pushNotificationConfigs/c`)],
  ['0.3 DELETE a config', ({ id }) => rest('DELETE', `/v1/tasks/${id}/pushNotificationConfigs/c`)],
  ['0.3 GET configs', ({ id }) => rest('GET', `/v1/tasks/${id}/pushNotificationConfigs`)],

  ['agentic GET a task', ({ id }) => agentic('GET', `/tasks/${id}`)],
  ['agentic POST :cancel', ({ id }) => agentic('POST', `/tasks/${id}:cancel`)],
  ['agentic POST :subscribe', ({ id }) => agentic('POST', `/tasks/${id}:subscribe`)],
  ['agentic POST message:send', ({ id }) => agentic('POST', '/message:send', message({ taskId: id }))],

  ...['tasks/get', 'tasks/cancel', 'tasks/resubscribe'].flatMap((method): typeof ATTEMPTS => [
    [`${method} of the drafts`, ({ id }) => ({ ...rpc(method, { id }), path: '/a2a/draft' })],
    [
      `${method} of the gateway`,
      ({ id }) => {
        const { body, ...attempt } = rpc(method, { id, taskId: id });
        return { ...attempt, body: { ...body, agent_code: 'main' } };
      },
    ],
  ]),

  [
    'GET an artifact',
    ({ id, contextId }) => ({
      verb: 'GET',
      path: `/v2/agentic/contexts/${contextId}/tasks/${id}/artifacts/a`,
    }),
  ],
];

async function attempted({ verb, path, body, headers }: Attempt) {
  const response = await fetch(api.url + path, {
    method: verb,
    headers: { ...(body && { 'content-type': 'application/json' }), ...headers, ...bearer('bob') },
    ...(body && { body: JSON.stringify(body) }),
  });
  const seen = [...response.headers].filter(([name]) => !['date', 'x-request-id'].includes(name));
  return { status: response.status, headers: seen, body: await response.text() };
}

describe('a task of somebody else', () => {
  test.each(
    ATTEMPTS.flatMap(([name, attempt]) =>
      (['completed', 'paused', 'working'] as const).map((state) => [name, state, attempt] as const),
    ),
  )('F06 A08 B07 %s: %s looks like none', async (_name, state, attempt) => {
    const { id, contextId } = tasks[state];
    const before = await api.journal.readAny(id);
    const foreign = await attempted(attempt({ id, contextId }));
    const unknown = await attempted(attempt({ id: UNKNOWN, contextId }));
    expect(JSON.parse(foreign.body)).toHaveProperty('error');
    expect({ ...foreign, body: foreign.body.replaceAll(id, UNKNOWN) }).toEqual(unknown);
    expect(await api.journal.readAny(id)).toEqual(before);
  });
});

describe.each(BINDINGS)('over %s', (binding) => {
  const as = (name: 'alice' | 'bob', operation: string, params: object, headers = {}) =>
    call(api, binding, operation, params, { ...bearer(name), ...headers });

  test('F06 C03 a list has the caller’s own, and a foreign context is an empty one', async () => {
    const own = (await as('alice', 'ListTasks', { pageSize: 2 })).result;
    expect(own.totalSize).toBeGreaterThanOrEqual(3);
    const foreign = await as('bob', 'ListTasks', { contextId: tasks.paused.contextId });
    const unknown = await as('bob', 'ListTasks', { contextId: 'ctx-of-nobody' });
    expect(foreign.result).toEqual(unknown.result);
    expect(foreign.result).toMatchObject({ tasks: [], totalSize: 0 });
    // A page token goes on in the list that it came from.
    const token = own.nextPageToken;
    const junk = await as('bob', 'ListTasks', { pageSize: 2, pageToken: 'junk' });
    const stolen = await as('bob', 'ListTasks', { pageSize: 2, pageToken: token });
    expect(stolen.error).toEqual(junk.error);
    expect(stolen.error?.fields).toEqual(['pageToken']);
  });

  test('F06 A09 the id of a foreign context is simply new: another conversation of that name', async () => {
    const { contextId } = tasks.completed;
    const { result } = await as('bob', 'SendMessage', sendParams('hello', { contextId }));
    expect(result.task.contextId).toBe(contextId);
    const list = async (name: 'alice' | 'bob') => {
      const { tasks } = (await as(name, 'ListTasks', { contextId })).result;
      return tasks.map(({ id }) => id);
    };
    expect(await list('bob')).toContain(result.task.id);
    expect(await list('alice')).toEqual([tasks.completed.id]);
  });

  test('F06 A20 an Idempotency-Key is the caller’s own', async () => {
    const headers = { 'idempotency-key': `shared-${binding}` };
    const params = sendParams('hello', { messageId: `shared-${binding}` });
    const [one, other] = [
      await as('alice', 'SendMessage', params, headers),
      await as('bob', 'SendMessage', params, headers),
    ];
    expect(other.result.task.id).not.toBe(one.result.task.id);
    const stolen = await as('bob', 'SendStreamingMessage', message({ messageId: 'alices' }), {
      'last-event-id': '1',
      'idempotency-key': 'alices',
    });
    expect(stolen.error?.fields).toEqual(['Last-Event-ID']);
  });

  test('F06 B08 two callers who stream at once see their own events and no others', async () => {
    const [one, other] = await Promise.all(
      (['alice', 'bob'] as const).map((name) =>
        stream(api, binding, 'SendStreamingMessage', sendParams(`hello ${name}`), bearer(name)),
      ),
    );
    for (const [frames_, mine, foreign] of [
      [one, 'alice', 'bob'],
      [other, 'bob', 'alice'],
    ] as const) {
      const text = JSON.stringify(frames_);
      expect(text).toContain(`hello hello ${mine}`);
      expect(text).not.toContain(foreign);
    }
  });
});

test('F06 B07 the owner may do what others may not', async () => {
  const response = await fetch(`${api.url}/a2a/rest/tasks/${tasks.paused.id}:subscribe`, {
    headers: bearer('alice'),
  });
  expect(response.status).toBe(200);
  for await (const frame of frames(response)) {
    expect(frame.event).toMatchObject({ task: { id: tasks.paused.id } });
    break;
  }
  const { result } = await read(
    await api.rest('GET', `/tasks/${tasks.completed.id}`, undefined, bearer('alice')),
    'HTTP+JSON',
  );
  expect(result.id).toBe(tasks.completed.id);
});

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { frames } from '../support/rpc-client.js';
import { apiKeys, bearer } from './callers.js';
import { eventually, startTestApi, type TestApi } from './test-api.js';

/** As much of 0.3's ProtoJSON as these tests look at. */
interface TaskPb {
  id: string;
  contextId: string;
  status: { state: string; message?: { role: string; content: object[] } };
  history?: { role: string; content: object[] }[];
  artifacts?: { parts: object[] }[];
}

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const say = (text: string, fields: object = {}, rest: object = {}) => ({
  message: { messageId: randomUUID(), role: 'ROLE_USER', content: [{ text }], ...fields },
  ...rest,
});

async function ok<T>(response: Response): Promise<T> {
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/json');
  return (await response.json()) as T;
}

async function send(text: string, fields: object = {}, rest: object = {}): Promise<TaskPb> {
  const answer = await api.rest('POST', '/v1/message:send', say(text, fields, rest));
  return (await ok<{ task: TaskPb }>(answer)).task;
}

const get = async (id: string, query = ''): Promise<TaskPb> =>
  ok(await api.rest('GET', `/v1/tasks/${id}${query}`));

async function stream(response: Response): Promise<Record<string, Record<string, unknown>>[]> {
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const found: object[] = [];
  for await (const { event } of frames(response)) found.push(event);
  return found as Record<string, Record<string, unknown>>[];
}

describe('message:send', () => {
  test('D02 X32 answers with a task in the words of the 0.3 proto', async () => {
    const task = await send('hello');
    expect(task).toMatchObject({
      status: { state: 'TASK_STATE_COMPLETED' },
      history: [{ role: 'ROLE_USER', content: [{ text: 'hello' }] }],
      artifacts: [{ parts: [{ text: 'hello hello' }] }],
    });
    expect(JSON.stringify(task)).not.toContain('"kind"');
    expect(await get(task.id)).toEqual(task);
  });

  test('D02 C10 snake_case and numbers of enums are read, as ProtoJSON does', async () => {
    const body = {
      message: { message_id: randomUUID(), role: 1, content: [{ text: 'ask' }] },
      configuration: { history_length: 0, accepted_output_modes: [], blocking: true },
    };
    const { task } = await ok<{ task: TaskPb }>(await api.rest('POST', '/v1/message:send', body));
    expect(task.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(task.history).toBeUndefined();
  });

  test.each([
    ['no configuration', undefined, 'TASK_STATE_COMPLETED'],
    ['blocking: true', { blocking: true }, 'TASK_STATE_COMPLETED'],
    ['blocking: false', { blocking: false }, 'TASK_STATE_SUBMITTED'],
    // Clients leave a false out.
    ['a configuration without blocking', { acceptedOutputModes: ['a/b'] }, 'TASK_STATE_SUBMITTED'],
  ])('D02 X09 %s: %s', async (_, configuration, state) => {
    expect((await send('hello', {}, { configuration })).status.state).toBe(state);
  });

  test('D02 a direct answer is a message', async () => {
    const response = await fetch(`${api.url}/agents/direct/a2a/rest/v1/message:send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(say('say')),
    });
    expect(await ok(response)).toMatchObject({
      message: { role: 'ROLE_AGENT', content: [{ text: 'directly' }] },
    });
  });
});

describe('tasks', () => {
  test('D02 X45 cancel, with any body, is idempotent', async () => {
    const { id } = await send('ask');
    const cancel = (body?: object) => api.rest('POST', `/v1/tasks/${id}:cancel`, body);
    const canceled = await ok<TaskPb>(await cancel());
    expect(canceled.status.state).toBe('TASK_STATE_CANCELLED');
    expect(await ok(await cancel({}))).toEqual(canceled);
    expect(await ok(await cancel({ name: `tasks/${id}` }))).toEqual(canceled);
  });

  test('D02 A12 historyLength in the query, in both spellings', async () => {
    const { id } = await send('hello');
    expect((await get(id, '?historyLength=0')).history).toBeUndefined();
    expect((await get(id, '?history_length=1')).history).toHaveLength(1);
  });

  test('D02 the list is an array of tasks, the newest first', async () => {
    const { id } = await send('hello');
    const tasks = await ok<(TaskPb & { kind: string })[]>(await api.rest('GET', '/v1/tasks?pageSize=1'));
    expect(tasks).toMatchObject([{ kind: 'task', id, status: { state: 'TASK_STATE_COMPLETED' } }]);
  });

  test('D02 X32 D06 a task of one binding and dialect is read by each other', async () => {
    const { id } = await send('ask');
    expect((await api.rpc.get(id)).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    const v03 = await api.rpc.ok<{ status: object }>('tasks/get', { id });
    expect(v03.status).toMatchObject({ state: 'input-required', message: { kind: 'message' } });
    expect((await ok<TaskPb>(await api.rest('GET', `/tasks/${id}`))).status.message).toHaveProperty('parts');
    expect((await get(id)).status.message?.content).toEqual([{ text: 'Which city?' }]);
    const done = await send('Riga', { taskId: id });
    expect(done).toMatchObject({ id, status: { state: 'TASK_STATE_COMPLETED' } });
  });
});

describe('streams', () => {
  test('D02 X32 frames are the proto’s, whole artifacts and a final status among them', async () => {
    const found = await stream(await api.rest('POST', '/v1/message:stream', say('tokens 3')));
    expect(found).toMatchObject([
      { task: { status: { state: 'TASK_STATE_SUBMITTED' } } },
      { statusUpdate: { final: false } },
      { artifactUpdate: { lastChunk: true, artifact: { parts: [{ text: 't0 t1 t2 ' }] } } },
      { statusUpdate: { final: true, status: { state: 'TASK_STATE_COMPLETED' } } },
    ]);
    expect(found.map((frame) => Object.keys(frame).length)).toEqual([1, 1, 1, 1]);
  });

  test.each(['GET', 'POST'])('D02 %s :subscribe', async (verb) => {
    const { id } = await send('gate', {}, { configuration: { blocking: false } });
    await eventually(async () => (await get(id)).status.state === 'TASK_STATE_WORKING');
    const live = stream(await api.rest(verb, `/v1/tasks/${id}:subscribe`));
    api.worker.run(id).gate.open();
    expect((await live).map((frame) => Object.keys(frame)[0])).toEqual(['task', 'statusUpdate']);
  });
});

describe('addresses and errors', () => {
  test('D02 F06 agents and tenants have theirs', async () => {
    const sent = await api.rest('POST', '/acme/v1/message:send', say('hello'));
    const { id } = (await ok<{ task: TaskPb }>(sent)).task;
    expect((await api.rest('GET', `/acme/v1/tasks/${id}`)).status).toBe(200);
    // The same tenant in the other dialect.
    expect((await api.rest('GET', `/acme/tasks/${id}`)).status).toBe(200);
    expect((await api.rest('GET', `/v1/tasks/${id}`)).status).toBe(404);
    expect((await fetch(`${api.url}/agents/main/a2a/rest/acme/v1/tasks/${id}`)).status).toBe(200);
    expect((await fetch(`${api.url}/agents/other/a2a/rest/acme/v1/tasks/${id}`)).status).toBe(404);
  });

  test.each<[string, string, object | undefined, number, object]>([
    [
      'GET',
      '/v1/tasks/task.unknown',
      undefined,
      404,
      {
        code: -32001,
        type: 'TaskNotFoundError',
        error: { code: 404, details: [{ reason: 'TASK_NOT_FOUND' }] },
      },
    ],
    ['GET', '/v1/tasks/task.unknown:subscribe', undefined, 404, { code: -32001 }],
    ['POST', '/v1/tasks/task.unknown:cancel', {}, 404, { code: -32001 }],
    ['POST', '/v1/message:send', { message: {} }, 400, { code: -32602, type: 'InvalidParamsError' }],
    ['GET', '/v1/nowhere', undefined, 404, { code: -32601, type: 'MethodNotFoundError' }],
    ['GET', '/acme/v1/nowhere', undefined, 404, { code: -32601 }],
    ['PUT', '/v1/message:send', {}, 405, { code: -32601 }],
  ])('D02 C09 X24 %s %s: the error is 0.3’s', async (verb, path, body, status, expected) => {
    const response = await api.rest(verb, path, body);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/json');
    const told = (await response.json()) as { message: unknown; data: unknown };
    expect(told).toMatchObject(expected);
    expect(typeof told.message).toBe('string');
    expect(told.data).toBeInstanceOf(Array);
  });

  test('D02 F06 without credentials the answer is 401, in 0.3’s shape', async () => {
    const closed = await startTestApi({ authenticator: apiKeys() });
    try {
      const refused = await closed.rest('GET', '/v1/tasks/x');
      expect(refused.status).toBe(401);
      expect(refused.headers.get('www-authenticate')).toContain('Bearer');
      expect(await refused.json()).toMatchObject({ code: -32000, data: [{ reason: 'UNAUTHENTICATED' }] });
      expect((await closed.rest('GET', '/v1/tasks/x', undefined, bearer('alice'))).status).toBe(404);
    } finally {
      await closed.close();
    }
  });

  test('D02 X45 a finished task cannot be canceled', async () => {
    const { id } = await send('hello');
    const response = await api.rest('POST', `/v1/tasks/${id}:cancel`);
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({ code: -32002, type: 'TaskNotCancelableError' });
  });

  test.each([
    ['0.3', '/v1/tasks/x', 404],
    ['1.0', '/v1/tasks/x', 400],
    ['0.3', '/tasks/x', 400],
    ['', '/v1/tasks/x', 404],
  ])('D02 C07 the version %j at %s: %i', async (version, path, status) => {
    const response = await api.rest('GET', path, undefined, { 'a2a-version': version });
    expect(response.status).toBe(status);
    await response.text();
  });
});

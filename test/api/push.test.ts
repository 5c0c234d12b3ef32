import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Task } from '../../core/task.js';
import { AddressGuard } from '../../webhooks/guard.js';
import { sendParams } from '../support/rpc-client.js';
import { answer } from '../support/receiver.js';
import { openCourier, startReceiver } from '../webhooks/couriers.js';
import { BINDINGS, call, codeOf } from './bindings.js';
import { eventually, startTestApi, type TestApi } from './test-api.js';

const HOOK = 'https://hooks.example/a2a';

let api: TestApi;
let strict: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  const guard = new AddressGuard({ allowPrivate: false });
  strict = await startTestApi({ guard });
});
afterAll(() => Promise.all([api.close(), strict.close()]));

describe.each(BINDINGS)('configs over %s', (binding) => {
  const on = (operation: string, params: object) =>
    call(api, binding, `${operation}TaskPushNotificationConfig`, params);
  const list = (params: object) => call(api, binding, 'ListTaskPushNotificationConfigs', params);
  // Go refuses 201 and Python an empty 204.
  const ok = binding === 'gRPC' ? 0 : 200;
  const newTask = async (text = 'ask') => (await api.rpc.send(text)).id;

  test('C04 C13 created, read, listed, deleted twice, gone', async () => {
    const taskId = await newTask();
    const given = {
      taskId,
      id: 'c1',
      url: HOOK,
      token: 'tok',
      authentication: { scheme: 'Bearer', credentials: 'k1' },
    };
    const created = await on('Create', given);
    expect([created.status, created.result]).toEqual([ok, given]);
    expect((await on('Get', { taskId, id: 'c1' })).result).toEqual(given);
    expect((await list({ taskId })).result).toEqual({ configs: [given], nextPageToken: '' });
    const deleted = await on('Delete', { taskId, id: 'c1' });
    expect([deleted.status, deleted.result]).toEqual([ok, {}]);
    expect((await on('Delete', { taskId, id: 'c1' })).result).toEqual({});
    const gone = await on('Get', { taskId, id: 'c1' });
    expect(gone.error).toMatchObject({ code: codeOf(binding, 'TASK_NOT_FOUND'), reason: 'TASK_NOT_FOUND' });
    expect((await list({ taskId })).result.configs).toEqual([]);
  });

  test('C04 an id is made where none is given, and the same id replaces', async () => {
    const taskId = await newTask();
    const { result } = await on('Create', { taskId, url: HOOK });
    expect(result.id).toMatch(/^push\./);
    await on('Create', { taskId, id: result.id, url: `${HOOK}/2`, token: 't' });
    expect((await list({ taskId })).result.configs).toEqual([
      { id: result.id, taskId, url: `${HOOK}/2`, token: 't' },
    ]);
  });

  test('C04 pages hold all of them once, oldest first; junk tokens are refused', async () => {
    const taskId = await newTask();
    const ids = Array.from({ length: 7 }, (_, n) => `c${n}`);
    for (const id of ids) await on('Create', { taskId, id, url: HOOK });
    const seen: string[] = [];
    for (let pageToken = ''; ;) {
      const { result } = await list({ taskId, pageSize: 3, ...(pageToken !== '' && { pageToken }) });
      expect(result.configs.length).toBeLessThanOrEqual(3);
      seen.push(...result.configs.map(({ id }) => id));
      pageToken = result.nextPageToken;
      if (pageToken === '') break;
    }
    expect(seen).toEqual(ids);
    const other = await newTask();
    const { nextPageToken } = (await list({ taskId, pageSize: 3 })).result;
    for (const pageToken of ['junk', `${nextPageToken}x`]) {
      expect((await list({ taskId, pageToken })).error?.fields).toEqual(['pageToken']);
    }
    expect((await list({ taskId: other, pageToken: nextPageToken })).error?.fields).toEqual(['pageToken']);
    expect((await list({ taskId, pageSize: 0 })).result.configs).toHaveLength(7);
  });

  test('C04 a task has at most twenty', async () => {
    const taskId = await newTask();
    for (let n = 0; n < 20; n += 1) await on('Create', { taskId, id: `c${n}`, url: HOOK });
    const refused = await on('Create', { taskId, id: 'one-more', url: HOOK });
    expect(refused.error?.fields).toEqual(['taskId']);
    expect((await on('Create', { taskId, id: 'c3', url: HOOK })).result.id).toBe('c3');
  });

  test('C04 one made with the send; a send that is repeated makes no second', async () => {
    const params = sendParams('ask', {
      messageId: `inline-${binding}`,
      configuration: { taskPushNotificationConfig: { url: HOOK, id: 'inline' } },
    });
    const headers = { 'idempotency-key': `inline-${binding}` };
    const { task } = (await call(api, binding, 'SendMessage', params, headers)).result;
    await call(api, binding, 'SendMessage', params, headers);
    const all = async (taskId: string) => (await list({ taskId })).result.configs.map(({ id }) => id);
    expect(await all(task.id)).toEqual(['inline']);
    const reply = sendParams('Riga', {
      taskId: task.id,
      configuration: { taskPushNotificationConfig: { url: HOOK, id: 'with-the-reply' } },
    });
    await call(api, binding, 'SendMessage', reply);
    expect(await all(task.id)).toEqual(['inline', 'with-the-reply']);
  });

  test('C04 a task that has ended takes one too, and is silent', async () => {
    const taskId = await newTask('hello');
    expect((await on('Create', { taskId, id: 'late', url: HOOK })).result.id).toBe('late');
    expect((await on('Get', { taskId, id: 'late' })).result.url).toBe(HOOK);
  });

  test('C04 C09 an unknown task is not found by any of them', async () => {
    for (const operation of ['Create', 'Get', 'Delete']) {
      const config = { taskId: 'task.none', id: 'c', ...(operation === 'Create' && { url: HOOK }) };
      expect((await on(operation, config)).error?.reason).toBe('TASK_NOT_FOUND');
    }
    expect((await list({ taskId: 'task.none' })).error?.reason).toBe('TASK_NOT_FOUND');
  });

  test.each([
    ['token', { token: 'a\r\nX-Evil: 1' }],
    ['token', { token: ' a' }],
    ['token', { token: 'ключ' }],
    ['token', { token: 'x'.repeat(5_000) }],
    ['authentication.credentials', { authentication: { scheme: 'Bearer', credentials: 'a\nb' } }],
    ['authentication.scheme', { authentication: { scheme: 'Bear er' } }],
    ['authentication.scheme', { authentication: { scheme: 'X:\r\ny', credentials: 'k' } }],
    ['url', { url: `https://example.com/${'x'.repeat(3_000)}` }],
    ['url', { url: 'ftp://example.com' }],
  ])('X29 X17 what splits or breaks a header is refused: %s', async (field, fields) => {
    const taskId = await newTask();
    const config = { url: HOOK, ...fields };
    const created = await on('Create', { taskId, ...config });
    expect(created.error?.fields).toEqual([field]);
    expect(created.error?.code).toBe(codeOf(binding, 'INVALID_PARAMS'));
    const { totalSize } = (await call(api, binding, 'ListTasks', {})).result;
    const params = sendParams('hello', { configuration: { taskPushNotificationConfig: config } });
    const sent = await call(api, binding, 'SendMessage', params);
    expect(sent.error?.fields).toEqual([`configuration.taskPushNotificationConfig.${field}`]);
    expect((await call(api, binding, 'ListTasks', {})).result.totalSize).toBe(totalSize);
    expect((await list({ taskId })).result.configs).toEqual([]);
  });

  test('X17 addresses that lead inside are refused, here and with a send', async () => {
    const inside = async (operation: string, params: object) =>
      (await call(strict, binding, operation, params)).error?.fields;
    const { id: taskId } = await strict.rpc.send('ask');
    for (const url of [
      'http://127.0.0.1/',
      'http://[::ffff:10.0.0.1]/',
      'http://2130706433/',
      'http://localhost/',
    ]) {
      expect(await inside('CreateTaskPushNotificationConfig', { taskId, url })).toEqual(['url']);
      const configuration = { taskPushNotificationConfig: { url } };
      expect(await inside('SendMessage', sendParams('hello', { configuration }))).toEqual([
        'configuration.taskPushNotificationConfig.url',
      ]);
    }
  });
});

describe('0.3', () => {
  const config = {
    id: 'c',
    url: HOOK,
    token: 't',
    authentication: { schemes: ['Bearer'], credentials: 'k' },
  };

  test('D01 X32 C04 set, get, list and delete, in its words', async () => {
    const { id } = await api.rpc.send('ask');
    const set = { taskId: id, pushNotificationConfig: config };
    expect(await api.rpc.ok('tasks/pushNotificationConfig/set', set)).toEqual(set);
    // Without an id the oldest one is meant.
    expect(await api.rpc.ok('tasks/pushNotificationConfig/get', { id })).toEqual(set);
    expect(await api.rpc.ok('tasks/pushNotificationConfig/list', { id })).toEqual([set]);
    const one = { id, pushNotificationConfigId: 'c' };
    expect(await api.rpc.ok('tasks/pushNotificationConfig/delete', one)).toBeNull();
    const gone = await api.rpc.call('tasks/pushNotificationConfig/get', { id });
    expect(gone.error?.code).toBe(-32001);
    const inside = {
      taskId: (await strict.rpc.send('ask')).id,
      pushNotificationConfig: { url: 'http://[::1]/' },
    };
    expect((await strict.rpc.call('tasks/pushNotificationConfig/set', inside)).error?.code).toBe(-32602);
  });

  test('D06 X32 each receiver of one task reads the dialect in which it was registered', async () => {
    const [old, modern, surface] = [await startReceiver(), await startReceiver(), await startReceiver()];
    openCourier(api.journal).courier.start();
    const message = { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'ask' }] };
    const { id } = await api.rpc.ok<Task>('message/send', {
      message,
      configuration: { pushNotificationConfig: { url: old.url } },
    });
    await api.rpc.ok('CreateTaskPushNotificationConfig', { taskId: id, url: modern.url });
    await api.post(`/v2/agentic/tasks/${id}/pushNotificationConfigs`, JSON.stringify({ url: surface.url }));
    await api.rpc.send('Riga', { taskId: id });
    await eventually(() => old.received.length === 5 && modern.received.length === 3);
    const states = old.received.map(({ body }) => (JSON.parse(body) as Task).status.state as string);
    expect(states).toEqual(['working', 'input-required', 'working', 'working', 'completed']);
    expect(JSON.parse(old.received[4]!.body)).toMatchObject({
      kind: 'task',
      artifacts: [{ parts: [{ kind: 'text', text: 'in Riga' }] }],
    });
    expect(modern.words()).toEqual(['WORKING', 'in Riga', 'COMPLETED']);
    await eventually(() => surface.received.length === 3);
  });
});

describe('the drafts and the gateway', () => {
  const rpc = (fields: object) =>
    api.post('/', JSON.stringify({ jsonrpc: '2.0', id: 1, ...fields })).then((response) => response.json());

  test('D03 D04 D06 C05 the whole task in their own words, under the id that was chosen', async () => {
    const [drafted, gated] = [await startReceiver(), await startReceiver()];
    openCourier(api.journal).courier.start();
    await rpc({
      method: 'tasks/send',
      params: {
        id: 'chosen-1',
        message: { role: 'user', parts: [{ type: 'text', text: 'hello' }] },
        pushNotification: { url: drafted.url, token: 'tok' },
      },
    });
    await rpc({
      agent_code: 'main',
      method: 'message/send',
      params: {
        message: { kind: 'message', messageId: 'g', role: 'user', parts: [{ kind: 'text', text: 'hello' }] },
        configuration: { pushNotificationConfig: { url: gated.url } },
      },
    });
    await eventually(() => drafted.received.length === 3 && gated.received.length === 3);
    const bodies = (receiver: { received: { body: string }[] }) =>
      receiver.received.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
    expect(bodies(drafted)).toMatchObject([
      { id: 'chosen-1', status: { state: 'working' } },
      { id: 'chosen-1', artifacts: [{ index: 0, parts: [{ type: 'text', text: 'hello hello' }] }] },
      { id: 'chosen-1', status: { state: 'completed' } },
    ]);
    for (const body of bodies(drafted)) expect(body).not.toHaveProperty('history');
    expect(drafted.received[0]?.headers['x-a2a-notification-token']).toBe('tok');
    expect(bodies(gated).at(-1)).toMatchObject({ kind: 'task', status: { state: 'completed' } });
  });
});

describe('how deliveries stand', () => {
  test('C05 can be read by the owner: what failed, why, and what is not delivered', async () => {
    const receiver = await startReceiver(answer(503));
    openCourier(api.journal).courier.start();
    const configuration = { taskPushNotificationConfig: { url: receiver.url, id: 'c', token: 'secret' } };
    const { id } = await api.rpc.send('hello', { configuration });
    const read = (path: string) => fetch(`${api.url}${path}/pushNotificationConfigs/c/delivery`);
    await eventually(() => receiver.received.length > 0);
    await expect
      .poll(async () => (await read(`/a2a/rest/tasks/${id}`)).json())
      .toMatchObject({
        configId: 'c',
        state: 'retrying',
        attempts: 1,
        lastError: 'HTTP 503',
        deliveredSeq: 1,
      });
    const text = await (await read(`/a2a/rest/tasks/${id}`)).text();
    expect(text).not.toContain('secret');
    const body = JSON.parse(text) as { undelivered: { webhookId: string }[]; nextAttemptAt: string };
    expect(body.undelivered).toMatchObject([
      { webhookId: receiver.ids()[0], seq: 2, statusUpdate: { taskId: id } },
      { seq: 3, artifactUpdate: { lastChunk: true } },
      { seq: 4, statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } },
    ]);
    expect(Date.parse(body.nextAttemptAt)).toBeGreaterThan(Date.now());
    // Another tenant, agent, task or config.
    for (const path of [
      `/a2a/rest/acme/tasks/${id}`,
      `/agents/other/a2a/rest/tasks/${id}`,
      '/a2a/rest/tasks/x',
    ]) {
      const unknown = await read(path);
      expect([unknown.status, await unknown.text()]).toEqual([
        404,
        expect.stringContaining('TASK_NOT_FOUND'),
      ]);
    }
  });
});

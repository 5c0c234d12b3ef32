import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Task } from '../../core/task.js';
import { sendParams } from '../support/rpc-client.js';
import { codeOf, BINDINGS, call } from './bindings.js';
import { startTestApi, type TestApi } from './test-api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

describe.each(BINDINGS)('over %s', (binding) => {
  const tenant = `list-${binding}`;
  const list = async (params: object = {}) => {
    const answer = await call(api, binding, 'ListTasks', { tenant, ...params });
    if (answer.error) throw new Error(`${answer.error.code} ${answer.error.fields.join()}`);
    return answer.result as { tasks: Task[]; nextPageToken: string; pageSize: number; totalSize: number };
  };
  const sent = async (text: string, message: object = {}, configuration: object = {}): Promise<Task> => {
    const params = sendParams(text, { ...message, configuration });
    return (await call(api, binding, 'SendMessage', { ...params, tenant })).result.task;
  };

  test('X25 C03 without tasks all four fields are there', async () => {
    expect(await list()).toEqual({ tasks: [], nextPageToken: '', pageSize: 50, totalSize: 0 });
  });

  test('X25 C03 artifacts come only on request', async () => {
    const task = await sent('hello');
    expect((await list()).tasks[0]).not.toHaveProperty('artifacts');
    expect((await list({ includeArtifacts: false })).tasks[0]).not.toHaveProperty('artifacts');
    expect((await list({ includeArtifacts: true })).tasks).toEqual([task]);
    const asked = await sent('ask');
    expect((await list({ includeArtifacts: true, contextId: asked.contextId })).tasks[0]?.artifacts).toEqual(
      [],
    );
  });

  test('X07 C03 a task is listed the moment its send returned, in the state that GetTask gives', async () => {
    for (let round = 0; round < 30; round += 1) {
      const { id, contextId } = await sent('hello', {}, { returnImmediately: round % 2 === 0 });
      const { tasks, totalSize } = await list({ contextId });
      expect(tasks.map((task) => task.id)).toEqual([id]);
      expect(totalSize).toBe(1);
      const { result } = await call(api, binding, 'GetTask', { id, tenant });
      const found = (await list({ contextId, status: result.status.state })).tasks;
      // The task may move on between the two reads; a list never contradicts its filter.
      for (const task of found) expect(task.status.state).toBe(result.status.state);
    }
  });

  test('C03 pages by cursor, newest status first, complete and without doubles while tasks are added', async () => {
    const contextId = 'pages';
    const ids: string[] = [];
    for (let n = 0; n < 7; n += 1) ids.push((await sent('hello', { contextId })).id);
    const found: Task[] = [];
    let pageToken = '';
    do {
      const page = await list({ contextId, pageSize: 3, ...(pageToken !== '' && { pageToken }) });
      expect(page.pageSize).toBe(3);
      found.push(...page.tasks);
      pageToken = page.nextPageToken;
      if (found.length === 3) await sent('hello', { contextId });
    } while (pageToken !== '');
    expect(found.map(({ id }) => id)).toEqual([...ids].reverse());
    const times = found.map(({ status }) => status.timestamp);
    expect(times).toEqual([...times].sort().reverse());
  });

  test('C03 A04 filters by state and by time', async () => {
    const contextId = 'filters';
    const done = await sent('hello', { contextId });
    const asked = await sent('ask', { contextId });
    const ids = async (filter: object) => (await list({ contextId, ...filter })).tasks.map(({ id }) => id);
    expect(await ids({ status: 'TASK_STATE_COMPLETED' })).toEqual([done.id]);
    expect(await ids({ status: 'TASK_STATE_INPUT_REQUIRED' })).toEqual([asked.id]);
    expect(await ids({ status: 'TASK_STATE_UNSPECIFIED' })).toEqual([asked.id, done.id]);
    expect(await ids({ status: 'TASK_STATE_REJECTED' })).toEqual([]);
    expect(await ids({ statusTimestampAfter: '2020-01-01T00:00:00Z' })).toEqual([asked.id, done.id]);
    expect(await ids({ statusTimestampAfter: '2200-01-01T00:00:00+01:00' })).toEqual([]);
    // "After" includes the moment itself: a poller loses nothing that happened in the same millisecond.
    expect(await ids({ statusTimestampAfter: asked.status.timestamp })).toContain(asked.id);
  });

  test.each<[object, string]>([
    [{ pageSize: 0 }, 'pageSize'],
    [{ pageSize: 101 }, 'pageSize'],
    [{ pageSize: 'ten' }, 'pageSize'],
    [{ pageToken: 'forged' }, 'pageToken'],
    [{ status: 'TASK_STATE_DONE' }, 'status'],
    [{ statusTimestampAfter: 'yesterday' }, 'statusTimestampAfter'],
    [{ historyLength: -1 }, 'historyLength'],
    [{ includeArtifacts: 'yes' }, 'includeArtifacts'],
  ])('C03 %j is refused and the field named', async (params, field) => {
    // Not to be said in protobuf, or, as a page size of zero, said without a meaning.
    if (binding === 'gRPC' && !/101|forged|-1/.test(JSON.stringify(params))) return;
    const { error } = await call(api, binding, 'ListTasks', params);
    expect(error).toMatchObject({ code: codeOf(binding, 'INVALID_PARAMS'), fields: [field] });
  });
});

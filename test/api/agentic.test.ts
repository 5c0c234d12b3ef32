import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StreamResponse, Task } from '../../core/task.js';
import { frames, sendParams } from '../support/rpc-client.js';
import { read, type Answer } from './bindings.js';
import { startTestApi, type TestApi } from './test-api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

function ask(verb: string, path: string, body?: object, headers: Record<string, string> = {}) {
  return fetch(`${api.url}/v2/agentic${path}`, {
    method: verb,
    headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
}
const call = async (verb: string, path: string, body?: object): Promise<Answer> =>
  read(await ask(verb, path, body), 'HTTP+JSON');
const send = async (text: string, fields: object = {}): Promise<Task> =>
  (await call('POST', '/message:send', sendParams(text, fields))).result.task;
const stream = async (verb: string, path: string, body?: object, headers = {}) =>
  eventsOf(await ask(verb, path, body, headers));
async function eventsOf(response: Response) {
  const found: StreamResponse[] = [];
  for await (const { event } of frames(response)) found.push(event);
  return found;
}
const states = (events: StreamResponse[]) =>
  events.flatMap((event) => ('statusUpdate' in event ? [event.statusUpdate.status.state] : []));

describe('operations', () => {
  test('D05 a message is sent, its task read, listed and its artifact read alone', async () => {
    const task = await send('hello');
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect((await call('GET', `/tasks/${task.id}`)).result).toEqual(task);
    const list = await call('GET', `/tasks?contextId=${task.contextId}&includeArtifacts=true`);
    expect(list.result.tasks).toEqual([task]);
    const artifact = await call('GET', `/contexts/${task.contextId}/tasks/${task.id}/artifacts/answer`);
    expect(artifact.result).toEqual(task.artifacts?.[0]);
  });

  test('D05 B07 a stream carries every token and can be resumed', async () => {
    const events = await stream('POST', '/message:stream', sendParams('tokens 5'));
    expect(Object.keys(events[0]!)).toEqual(['task']);
    expect(events.filter((event) => 'artifactUpdate' in event)).toHaveLength(6);
    expect(states(events)).toEqual(['TASK_STATE_WORKING', 'TASK_STATE_COMPLETED']);
    const { id } = (events[0] as { task: Task }).task;
    const rest = await stream('GET', `/tasks/${id}:subscribe`, undefined, { 'last-event-id': '2' });
    expect(rest).toEqual(events.slice(2));
  });

  test('D05 cancel ends a task; a task that has ended is a conflict, under either error table', async () => {
    const { id } = await send('ask');
    expect((await call('POST', `/tasks/${id}:cancel`)).result.status.state).toBe('TASK_STATE_CANCELED');
    expect(await call('POST', `/tasks/${id}:cancel`)).toMatchObject({
      status: 409,
      error: { code: 409, reason: 'TASK_NOT_CANCELABLE' },
    });
    await api.restart({ errorTable: '1.0.1' });
    expect((await call('POST', `/tasks/${id}:cancel`)).status).toBe(409);
    expect((await api.rest('POST', `/tasks/${id}:cancel`)).status).toBe(400);
    await api.restart();
  });

  test('D05 X24 errors have the HTTP shape', async () => {
    expect(await call('GET', '/tasks/none')).toMatchObject({
      status: 404,
      error: { reason: 'TASK_NOT_FOUND' },
    });
    expect((await call('GET', '/nowhere')).status).toBe(404);
    expect((await call('DELETE', '/tasks/x')).status).toBe(405);
    expect((await call('POST', '/message:send', {})).error?.fields).toContain('message');
    expect((await ask('GET', '/tasks', undefined, { 'a2a-version': '0.3' })).status).toBe(400);
  });

  test('D05 F06 each agent and each tenant has its own', async () => {
    const { id, contextId } = (await call('POST', '/acme/message:send', sendParams('hello'))).result.task;
    const path = `/contexts/${contextId}/tasks/${id}/artifacts/answer`;
    for (const [address, status] of [
      [`/acme/tasks/${id}`, 200],
      [`/tasks/${id}`, 404],
      [`/acme${path}`, 200],
      [`${path}?tenant=acme`, 200],
      [path, 404],
      [`/acme${path}?tenant=other`, 400],
    ] as const) {
      expect((await ask('GET', address)).status, address).toBe(status);
    }
    const own = await send('hello');
    const other = await fetch(`${api.url}/agents/other/v2/agentic/tasks/${own.id}`);
    expect(other.status).toBe(404);
  });
});

describe('states that the surface does not know', () => {
  const shownAs = (state: string, text: RegExp) => ({
    state: 'TASK_STATE_FAILED',
    message: { parts: [{ text: expect.stringMatching(text) as string }], metadata: { $state: state } },
  });

  test('D05 A07 REJECTED appears as FAILED here and as itself elsewhere', async () => {
    const task = await send('reject');
    const status = shownAs('TASK_STATE_REJECTED', /^Rejected: because$/);
    expect(task.status).toMatchObject(status);
    expect(task.history?.at(-1)).toEqual(task.status.message);
    expect((await api.rpc.get(task.id)).status).toMatchObject({
      state: 'TASK_STATE_REJECTED',
      message: { messageId: task.status.message?.messageId, parts: [{ text: 'because' }] },
    });
    const events = await stream('POST', '/message:stream', sendParams('reject'));
    expect(events.at(-1)).toMatchObject({ statusUpdate: { status } });
  });

  test('D05 A15 AUTH_REQUIRED appears as FAILED; commands follow the true state', async () => {
    const asked = await send('auth');
    expect(asked.status).toMatchObject(
      shownAs('TASK_STATE_AUTH_REQUIRED', /^Authorization required: Authorise at https:/),
    );
    // No end: a message is taken, a subscription stays open, and the work goes on.
    expect((await send('hurry', { taskId: asked.id })).status.state).toBe('TASK_STATE_FAILED');
    const open = await ask('GET', `/tasks/${asked.id}:subscribe`);
    api.worker.run(asked.id).gate.open();
    const events = await eventsOf(open);
    expect((events[0] as { task: Task }).task.status.state).toBe('TASK_STATE_FAILED');
    expect(states(events)).toEqual(['TASK_STATE_WORKING', 'TASK_STATE_COMPLETED']);

    const paused = await send('auth');
    expect((await call('POST', `/tasks/${paused.id}:cancel`)).result.status.state).toBe(
      'TASK_STATE_CANCELED',
    );
  });

  test('D05 C03 a list shows, filters and counts by the shown state', async () => {
    const contextId = 'ctx.shown';
    const ids = [];
    for (const text of ['fail', 'reject', 'auth']) ids.unshift((await send(text, { contextId })).id);
    await send('hello', { contextId });
    const list = async (status: string, more = '') =>
      (await call('GET', `/tasks?contextId=${contextId}&status=TASK_STATE_${status}${more}`)).result;
    const failed = await list('FAILED');
    expect(failed.tasks.map(({ id }) => id)).toEqual(ids);
    expect(failed.totalSize).toBe(3);
    expect(new Set(failed.tasks.map(({ status }) => status.state))).toEqual(new Set(['TASK_STATE_FAILED']));
    for (const state of ['REJECTED', 'AUTH_REQUIRED']) {
      expect(await list(state)).toMatchObject({ tasks: [], totalSize: 0, nextPageToken: '' });
    }
    expect((await list('COMPLETED')).totalSize).toBe(1);
    const page = await list('FAILED', '&pageSize=2');
    expect(page.tasks).toHaveLength(2);
    const rest = await list('FAILED', `&pageSize=2&pageToken=${page.nextPageToken}`);
    expect(rest.tasks.map(({ id }) => id)).toEqual(ids.slice(2));
    const timed = await list('FAILED', '&statusTimestampAfter=2020-01-01T00:00:00Z');
    expect(timed.totalSize).toBe(3);
  });
});

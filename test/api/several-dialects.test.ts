import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendParams } from '../support/rpc-client.js';
import { startTestApi, type TestApi } from './test-api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

async function ask(path: string, body?: object) {
  const response = await fetch(api.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  return (await response.json()) as Record<string, unknown>;
}
const rpc = async (method: string, params: object, beside: object = {}) =>
  (await ask('/', { ...beside, jsonrpc: '2.0', id: 1, method, params })).result;
const gateway = { agent_code: 'main' };

test('D06 X32 one task, begun in a draft, is driven by five dialects, and each reads its own words', async () => {
  const drafted = (text: string) => ({
    id: 'shared',
    message: { role: 'user', parts: [{ type: 'text', text }] },
  });
  const begun = (await rpc('tasks/send', drafted('ask2'))) as { sessionId: string };
  const contextId = begun.sessionId;
  const id = (await api.journal.resolveAlias({ tenant: '', owner: 'anonymous', agent: 'main' }, 'shared'))!;

  // The gateway answers the first question by the context alone.
  const message = { kind: 'message', messageId: 'm1', role: 'user', contextId };
  const parts = [{ kind: 'text', text: 'Riga' }];
  expect(await rpc('message/send', { message: { ...message, parts } }, gateway)).toMatchObject({
    kind: 'task',
    id,
    status: { state: 'input-required' },
  });

  // All readers see the second one.
  const question = (part: object) => ({ message: { parts: [part] } });
  const text = 'Which day?';
  const paused = { state: 'TASK_STATE_INPUT_REQUIRED', ...question({ text }) };
  expect(await rpc('tasks/get', { id: 'shared' })).toMatchObject({
    id: 'shared',
    sessionId: contextId,
    status: { state: 'input-required', ...question({ type: 'text', text }) },
  });
  expect(await rpc('tasks/get', { id })).toMatchObject({
    kind: 'task',
    status: { state: 'input-required', ...question({ kind: 'text', text }) },
  });
  expect(await ask(`/a2a/rest/tasks/${id}`)).toMatchObject({ id, contextId, status: paused });
  expect(await ask(`/v2/agentic/tasks/${id}`)).toMatchObject({ id, contextId, status: paused });

  // 1.0 answers it, and the drafts read the end under their own name.
  const { task } = (await rpc('SendMessage', sendParams('Monday', { taskId: id }))) as { task: object };
  expect(task).toMatchObject({ id, status: { state: 'TASK_STATE_COMPLETED' } });
  expect(await rpc('tasks/get', { id: 'shared' })).toMatchObject({
    id: 'shared',
    status: { state: 'completed' },
    artifacts: [{ index: 0, parts: [{ type: 'text', text: 'Riga Monday' }] }],
  });
  expect(await rpc('tasks/get', { id }, gateway)).toMatchObject({
    kind: 'task',
    status: { state: 'completed' },
  });
});

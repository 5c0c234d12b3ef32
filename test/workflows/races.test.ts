import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Task } from '../../core/task.js';
import { script } from '../agents/script.js';
import { type RpcAnswer, sendParams } from '../support/rpc-client.js';
import { startStack, type Stack } from '../support/stack.js';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

const atOnce = { configuration: { returnImmediately: true } };
const UNSUPPORTED_OPERATION = -32004;

test('X02 A08 A13 messages around the instant of completion are in history or refused, never lost, 30 rounds', async () => {
  for (let round = 0; round < 30; round++) {
    const asked = await stack.rpc.send([
      script({ do: 'ask', text: '?' }, { do: 'sleep', millis: 50 }, { do: 'complete' }),
    ]);
    await stack.rpc.send('go', { ...atOnce, taskId: asked.id });
    const sends = Array.from({ length: 20 }, async (_, at) => {
      await delay(30 + 2 * at);
      const messageId = randomUUID();
      const answer = await stack.rpc.call<{ task: Task }>(
        'SendMessage',
        sendParams('late', { taskId: asked.id, messageId }),
      );
      return { messageId, answer };
    });
    const outcomes = await Promise.all(sends);
    const { history = [] } = await stack.rpc.get(asked.id);
    const known = new Set(history.map(({ messageId }) => messageId));
    for (const { messageId, answer } of outcomes) {
      if (answer.error) expect(answer.error.code).toBe(UNSUPPORTED_OPERATION);
      expect(known.has(messageId)).toBe(!answer.error);
    }
  }
});

test('X37 A20 the same follow-up sent twice at once, and again after completion, is taken once', async () => {
  const asked = await stack.rpc.send([
    script({ do: 'ask', text: '?' }, { do: 'activity', millis: 200 }, { do: 'received' }, { do: 'complete' }),
  ]);
  const params = sendParams('yes', { taskId: asked.id });
  const both = await Promise.all([1, 2, 3].map(() => stack.rpc.ok<{ task: Task }>('SendMessage', params)));
  for (const { task } of both) expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  const after = await stack.rpc.ok<{ task: Task }>('SendMessage', params);
  expect(after.task.status.state).toBe('TASK_STATE_COMPLETED');
  expect(after.task.history?.filter(({ role }) => role === 'ROLE_USER')).toHaveLength(2);
  const received = after.task.artifacts?.find(({ name }) => name === 'received');
  expect(received?.parts).toEqual([{ text: '(none)' }]);
  const other = await stack.rpc.call('SendMessage', sendParams('something else', { taskId: asked.id }));
  expect(other.error?.code).toBe(UNSUPPORTED_OPERATION);
});

test('X37 two different messages to a WORKING task at once are both recorded, each once', async () => {
  const busy = await stack.rpc.send(
    [script({ do: 'activity', millis: 400 }, { do: 'received' }, { do: 'complete' })],
    atOnce,
  );
  await stack.rpc.until(busy.id, ['TASK_STATE_WORKING']);
  const done = await Promise.all(['one', 'two'].map((text) => stack.rpc.send(text, { taskId: busy.id })));
  const texts = JSON.stringify(done[0]?.artifacts);
  expect(texts).toContain('one');
  expect(texts).toContain('two');
  expect(done[0]?.history).toHaveLength(3);
});

test('X37 A20 a first send repeated with its Idempotency-Key is one task; without it, two', async () => {
  const params = sendParams('hello');
  const key = { 'idempotency-key': randomUUID() };
  const send = (headers: Record<string, string>): Promise<RpcAnswer<{ task: Task }>> =>
    stack.rpc.call('SendMessage', params, headers);
  const same = await Promise.all([send(key), send(key), send(key)]);
  expect(new Set(same.map(({ result }) => result?.task.id)).size).toBe(1);
  const two = await Promise.all([send({}), send({})]);
  expect(new Set(two.map(({ result }) => result?.task.id)).size).toBe(2);
  const changed = await stack.rpc.call('SendMessage', sendParams('other'), key);
  expect(changed.error?.code).toBe(-32602);
});

test('X03 B08 25 idle subscribers get the same events in order while control calls work', async () => {
  const task = await stack.rpc.send([
    script(
      { do: 'ask', text: '?' },
      { do: 'working', text: '1' },
      { do: 'working', text: '2' },
      { do: 'working', text: '3' },
      { do: 'activity', millis: 300 },
      { do: 'complete', text: 'ok' },
    ),
  ]);
  const readers = Array.from({ length: 25 }, () => stack.rpc.all('SubscribeToTask', { id: task.id }));
  await delay(300);
  expect((await stack.rpc.get(task.id)).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  await stack.rpc.send('go', { ...atOnce, taskId: task.id });
  const all = await Promise.all(readers);
  const [first] = all;
  for (const frames of all) expect(frames.slice(1)).toEqual(first?.slice(1));
  expect(first?.slice(1).length).toBeGreaterThanOrEqual(6);
  expect(first?.slice(1).map(({ id }) => Number(id))).toEqual(
    first?.slice(1).map((_, at) => Number(first[0]?.id) + 1 + at),
  );
});

test('X07 C03 a task is listed the moment its send returned, as GetTask shows it, 50 times', async () => {
  for (let round = 0; round < 50; round++) {
    const contextId = `ctx-list-${round}-${Date.now()}`;
    const task = await stack.rpc.send('hello', { ...atOnce, contextId });
    const { tasks, totalSize } = await stack.rpc.ok<{ tasks: Task[]; totalSize: number }>('ListTasks', {
      contextId,
    });
    expect(tasks.map(({ id }) => id)).toEqual([task.id]);
    expect(totalSize).toBe(1);
  }
});

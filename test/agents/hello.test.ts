import { expect, test } from 'vitest';
import hello from '../../agents/hello.js';
import { testAgent } from '../../testing/index.js';

test('A03 hello answers directly: one message, and no task is shown', async () => {
  const { events, message, text } = await testAgent(hello, 'I am Ada');
  expect(text).toBe('Good morning! You said: I am Ada');
  expect(events).toEqual([{ message }]);
  expect(message).toMatchObject({ role: 'ROLE_AGENT', contextId: expect.stringMatching(/^ctx\./) as string });
  expect(message).not.toHaveProperty('taskId');
});

test('A03 hello greets by the clock of the task', async () => {
  const evening = await testAgent(hello, { message: 'Hi', now: Date.UTC(2026, 0, 1, 20) });
  expect(evening.text).toMatch(/^Good evening/);
});

import { expect, test } from 'vitest';
import concierge from '../../agents/concierge.js';
import { startAgent, testAgent } from '../../testing/index.js';

test('A14 concierge asks, waits, and delivers the plan as text and data', async () => {
  const { task, questions, text, events } = await testAgent(concierge, {
    message: 'Plan a day',
    replies: ['Paris'],
  });
  expect(questions).toEqual(['Which city?']);
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  expect(text).toContain('# A day in Paris');
  expect(task.artifacts).toEqual([
    expect.objectContaining({
      name: 'plan',
      parts: [
        expect.objectContaining({ mediaType: 'text/markdown' }),
        expect.objectContaining({ data: expect.objectContaining({ city: 'Paris' }) as object }),
      ],
    }),
  ]);
  expect(states(events)).toEqual([
    'TASK_STATE_SUBMITTED',
    'TASK_STATE_WORKING',
    'TASK_STATE_INPUT_REQUIRED',
    'TASK_STATE_WORKING',
    'TASK_STATE_COMPLETED',
  ]);
});

test('A02 A14 the conversation is the history, oldest first', async () => {
  const { task } = await testAgent(concierge, { message: 'Plan a day', replies: ['Rome'] });
  expect(task.history?.map(({ role, parts }) => [role, parts])).toEqual([
    ['ROLE_USER', [{ text: 'Plan a day' }]],
    ['ROLE_AGENT', [{ text: 'Looking at your request' }]],
    ['ROLE_AGENT', [{ text: 'Which city?' }]],
    ['ROLE_USER', [{ text: 'Rome' }]],
    ['ROLE_AGENT', [{ text: 'Planning a day in Rome' }]],
  ]);
  for (const message of task.history ?? []) expect(message.metadata?.$timestamp).toMatch(/Z$/);
});

test('A14 an empty reply is asked again', async () => {
  const { questions } = await testAgent(concierge, { message: 'Plan', replies: ['  ', 'Oslo'] });
  expect(questions).toEqual(['Which city?', 'Please name a city.']);
});

test('A16 cancel while the concierge waits', async () => {
  const t = startAgent(concierge, 'Plan a day');
  await t.until('TASK_STATE_INPUT_REQUIRED');
  t.cancel();
  const task = await t.done();
  expect(task.status.state).toBe('TASK_STATE_CANCELED');
  expect(task.artifacts).toBeUndefined();
});

function states(events: Awaited<ReturnType<typeof testAgent>>['events']): string[] {
  const all = events.flatMap((event) =>
    'task' in event
      ? [event.task.status.state]
      : 'statusUpdate' in event
        ? [event.statusUpdate.status.state]
        : [],
  );
  return all.filter((state, i) => state !== all[i - 1]);
}

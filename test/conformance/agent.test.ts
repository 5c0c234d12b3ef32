import { expect, test } from 'vitest';
import { startAgent, testAgent } from '../../testing/index.js';
import { conformanceAgent } from './agent.js';

const agent = conformanceAgent({ capabilities: true, ordinaryAsks: false });

test('C13 anything that asks for nothing completes', async () => {
  const { task, text } = await testAgent(agent, 'hello');
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  expect(text).toBe('done: hello');
});

test('A14 ask asks again for as long as the reply says so', async () => {
  const { questions, text } = await testAgent(agent, {
    message: 'ask',
    replies: ['again', 'again', 'enough'],
  });
  expect(questions).toHaveLength(3);
  expect(text).toBe('You said: enough');
});

test('A18 an artifact is extended, then replaced; an extension of none begins one', async () => {
  const { task, events } = await testAgent(agent, 'artifacts');
  const [first, second] = task.artifacts ?? [];
  expect(first).toMatchObject({ name: 'first', parts: [{ text: 'three' }] });
  expect(second).toMatchObject({ artifactId: 'unseen', name: 'second', parts: [{ text: 'four' }] });
  const updates = events.flatMap((event) => ('artifactUpdate' in event ? [event.artifactUpdate] : []));
  const said = updates.map(({ artifact, append = false }) => [artifact.artifactId, append, artifact.parts]);
  expect(said).toEqual([
    [first?.artifactId, false, [{ text: 'one' }]],
    [first?.artifactId, true, [{ text: 'two' }]],
    [first?.artifactId, false, [{ text: 'onetwo' }]],
    [first?.artifactId, false, [{ text: 'three' }]],
    ['unseen', false, [{ text: 'four' }]],
  ]);
});

test('A14 busy lists the follow-ups that came meanwhile', async () => {
  const run = startAgent(agent, 'busy 3 100');
  await run.until('TASK_STATE_WORKING');
  run.reply('also this');
  const task = await run.done();
  expect(task.artifacts?.[0]?.parts).toEqual([{ data: ['also this'] }]);
});

test.each([
  ['fail', 'TASK_STATE_FAILED'],
  ['reject', 'TASK_STATE_REJECTED'],
  ['burst 100', 'TASK_STATE_COMPLETED'],
  ['tokens 20 50', 'TASK_STATE_COMPLETED'],
  ['auth', 'TASK_STATE_COMPLETED'],
  ['wait 5000', 'TASK_STATE_COMPLETED'],
])('A05 %s ends in %s', async (text, state) => {
  const { task } = await testAgent(agent, text);
  expect(task.status.state).toBe(state);
});

test('A18 echo gives the parts back, metadata the metadata', async () => {
  const parts = [
    { text: 'echo' },
    { raw: 'dGNr', mediaType: 'image/png' },
    { data: null },
    { data: [1, [2]] },
  ];
  const echo = await testAgent(agent, { message: parts });
  expect(echo.task.artifacts?.[0]?.parts).toEqual(parts);
});

test('A03 message answers directly', async () => {
  const { message, task } = await testAgent(agent, 'message');
  expect(message?.parts).toEqual([{ text: 'A direct message' }]);
  expect(task.artifacts).toBeUndefined();
});

test('D01 with ordinary messages that ask, a task goes on until it is done', async () => {
  const asking = conformanceAgent({ capabilities: true, ordinaryAsks: true });
  const { questions } = await testAgent(asking, { message: 'hello', replies: ['more', 'done'] });
  expect(questions).toEqual(['You said: hello', 'You said: more']);
});

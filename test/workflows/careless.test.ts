import { afterAll, beforeAll, expect, test } from 'vitest';
import { script, type Step } from '../agents/script.js';
import { startStack, type Stack } from '../support/stack.js';

/** Agents that break the rules: their tasks still end, and so do the runs behind them. */
let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

const within = { timeout: 10_000, interval: 50 };
const atOnce = { configuration: { returnImmediately: true } };

/** A run that fails its workflow task for ever stays RUNNING, whatever the task's row says. */
async function expectRunEnded(taskId: string): Promise<void> {
  const handle = stack.client.workflow.getHandle(taskId);
  await expect.poll(async () => (await handle.describe()).status.name, within).toBe('COMPLETED');
}

/** As a message brings it, no compiler has looked at it. */
const step = (given: object): Step => given as Step;

test.each<[string, Step]>([
  ['a fragment that is no text', step({ do: 'stream', pieces: ['a', null] })],
  ['a part without content', step({ do: 'artifact', text: [{}] })],
  ['a part with two contents', step({ do: 'complete', text: [{ text: 'a', data: 1 }] })],
  ['a text that is a number', step({ do: 'working', text: [{ text: 5 }] })],
  ['a part that is null', step({ do: 'ask', text: [null] })],
  ['metadata of a part that is text', step({ do: 'reply', text: [{ text: 'a', metadata: 'm' }] })],
  ['a name that is a number', step({ do: 'artifact', text: 'a', name: 5 })],
  ['a reason that is no text', step({ do: 'fail', text: { a: 1 } })],
  ['a prompt that is no text', step({ do: 'generate', prompt: 5 })],
  ['a time that is none', step({ do: 'sleep', millis: 'soon' })],
  ['a time beyond all timers', step({ do: 'sleep', millis: 1e18 })],
])('X14 %s ends the task FAILED, and its run', async (_what, wrong) => {
  const { id } = await stack.rpc.send([script({ do: 'working', text: 'so far' }, wrong)], atOnce);
  const task = await stack.rpc.until(id, ['TASK_STATE_FAILED'], 10_000);
  expect(task.status.message?.parts).toEqual([{ text: 'The agent stopped with an internal error.' }]);
  await expectRunEnded(id);
});

test('X14 work that an agent does not await is dropped when its task completes', async () => {
  const { id, status } = await stack.rpc.send([
    script(
      {
        do: 'floating',
        steps: [
          { do: 'sleep', millis: 60_000 },
          { do: 'working', text: 'late' },
        ],
      },
      { do: 'floating', steps: [{ do: 'activity', millis: 60_000 }] },
      { do: 'complete', text: 'ok' },
    ),
  ]);
  expect(status.state).toBe('TASK_STATE_COMPLETED');
  await expectRunEnded(id);
});

test('X14 X06 a question that an agent does not await keeps no cancelled run alive', async () => {
  const { id } = await stack.rpc.send([
    script(
      { do: 'floating', steps: [{ do: 'ask', text: 'anybody?' }] },
      { do: 'floating', steps: [{ do: 'repeat', times: 1_000, steps: [{ do: 'working', text: 'busy' }] }] },
      { do: 'sleep', millis: 60_000 },
    ),
  ]);
  const canceled = await stack.rpc.ok<{ status: { state: string } }>('CancelTask', { id });
  expect(canceled.status.state).toBe('TASK_STATE_CANCELED');
  await expectRunEnded(id);
});

test('X33 what is too big for Temporal ends the task FAILED with the reason', async () => {
  const task = await stack.rpc.send([script({ do: 'bigCheckpoint', bytes: 600_000 })]);
  expect(task.status.state).toBe('TASK_STATE_FAILED');
  expect(task.status.message?.parts).toEqual([
    { text: expect.stringMatching(/^A checkpoint of 6\d{5} bytes is too big/) as string },
  ]);
  await expectRunEnded(task.id);
});

test('X33 a message of many middle-sized parts starts a task, answers one, and reaches it whole', async () => {
  const parts = Array.from({ length: 60 }, (_, at) => ({ text: String(at).padEnd(60_000, '.') }));
  const first = await stack.rpc.send([script({ do: 'ask', text: '?' }, { do: 'complete' }), ...parts]);
  expect(first.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  const done = await stack.rpc.send(parts, { taskId: first.id });
  expect(done.status.state).toBe('TASK_STATE_FAILED');
  expect(done.status.message?.parts).toEqual([
    { text: expect.stringMatching(/^A message of 3\d{6} bytes is too big for the agent to read$/) as string },
  ]);
  expect(done.history?.map((message) => message.parts.slice(-60))).toEqual([
    parts,
    [{ text: '?' }],
    parts,
    done.status.message?.parts,
  ]);

  const some = parts.slice(0, 12);
  const second = await stack.rpc.send([script({ do: 'ask', text: '?' }, { do: 'complete' }), ...parts]);
  const answered = await stack.rpc.send(some, { taskId: second.id });
  expect(answered.status.state).toBe('TASK_STATE_COMPLETED');
  const reply = answered.artifacts?.find(({ name }) => name === 'reply');
  expect(reply?.parts).toEqual([{ text: some.map(({ text }) => text).join('\n') }]);
});

test('X33 a job with much that is unread goes on at its checkpoints, and reads it all', async () => {
  const { id } = await stack.rpc.send(
    [
      script(
        { do: 'repeat', times: 450, steps: [{ do: 'sleep', millis: 1 }] },
        { do: 'received' },
        { do: 'complete' },
      ),
    ],
    atOnce,
  );
  const notes = Array.from({ length: 40 }, (_, at) => `${at}`.padEnd(50_000, '.'));
  for (const note of notes) await stack.rpc.send(note, { taskId: id, ...atOnce });
  const done = await stack.rpc.until(id, ['TASK_STATE_COMPLETED', 'TASK_STATE_FAILED'], 50_000);
  const received = done.artifacts?.find(({ name }) => name === 'received');
  expect(received?.parts).toEqual([{ text: notes.join('|') }]);
});

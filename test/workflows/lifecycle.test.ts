import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Task } from '../../core/task.js';
import { script } from '../agents/script.js';
import { startStack, type Stack } from '../support/stack.js';
import { sendParams } from '../support/rpc-client.js';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

function artifactText(task: Task, name: string): string | undefined {
  const artifact = task.artifacts?.find((found) => found.name === name);
  return artifact?.parts.map((part) => ('text' in part ? part.text : JSON.stringify(part))).join('');
}

test('C01 A02 A18 a blocking send returns the completed task with its artifact and history', async () => {
  const task = await stack.rpc.send('hello');
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  expect(artifactText(task, 'answer')).toBe('done: hello');
  expect(task.history?.map((message) => message.role)).toEqual(['ROLE_USER']);
  expect(task.history?.[0]?.metadata?.['$timestamp']).toMatch(/Z$/);
});

test('A01 ids are prefixed UUIDv7 and sort by time', async () => {
  const first = await stack.rpc.send('one');
  const second = await stack.rpc.send('two');
  for (const [prefix, id] of [
    ['task', first.id],
    ['ctx', first.contextId],
    ['art', first.artifacts?.[0]?.artifactId ?? ''],
  ] as const) {
    expect(id).toMatch(
      new RegExp(`^${prefix}\\.[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`),
    );
  }
  expect(first.id < second.id).toBe(true);
});

test('A05 a simple task shows SUBMITTED, WORKING, its artifact and COMPLETED, in one workflow task', async () => {
  const frames = await stack.rpc.all('SendStreamingMessage', sendParams('hello'));
  const shown = frames.map(({ event }) =>
    'task' in event
      ? event.task.status.state
      : 'statusUpdate' in event
        ? event.statusUpdate.status.state
        : 'artifactUpdate' in event
          ? 'artifact'
          : 'message',
  );
  expect(shown[0]).toBe('TASK_STATE_SUBMITTED');
  expect(shown.slice(-2)).toEqual(['artifact', 'TASK_STATE_COMPLETED']);
  const id = 'task' in frames[0]!.event ? frames[0]!.event.task.id : '';
  const history = await stack.client.workflow.getHandle(id).fetchHistory();
  expect(history.events?.length).toBeLessThanOrEqual(7);
});

test('A14 a question pauses the task; the reply resumes it and never returns the old question', async () => {
  const asked = await stack.rpc.send([
    script({ do: 'ask', text: 'Which city?' }, { do: 'complete', text: 'ok' }),
  ]);
  expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  expect(asked.status.message?.parts).toEqual([{ text: 'Which city?' }]);
  expect(asked.history?.at(-1)?.messageId).toBe(asked.status.message?.messageId);
  const done = await stack.rpc.send('Paris', { taskId: asked.id });
  expect(done.status.state).toBe('TASK_STATE_COMPLETED');
  expect(artifactText(done, 'reply')).toBe('Paris');
  expect(done.history?.map((message) => message.role)).toEqual(['ROLE_USER', 'ROLE_AGENT', 'ROLE_USER']);
});

test('A14 a reply sent the moment the question is visible is accepted, 40 times', async () => {
  for (let round = 0; round < 40; round++) {
    const steps = script({ do: 'ask', text: 'A?' }, { do: 'ask', text: 'B?' }, { do: 'complete' });
    const seen: string[] = [];
    let id = '';
    for await (const { event } of stack.rpc.stream('SendStreamingMessage', sendParams([steps]))) {
      if ('task' in event) id = event.task.id;
    }
    const second = await stack.rpc.send('1', { taskId: id });
    seen.push(second.status.state, JSON.stringify(second.status.message?.parts));
    const third = await stack.rpc.send('2', { taskId: id });
    expect([...seen, third.status.state]).toEqual([
      'TASK_STATE_INPUT_REQUIRED',
      '[{"text":"B?"}]',
      'TASK_STATE_COMPLETED',
    ]);
  }
});

test('E01 an ask with a schema asks again until the reply fits', async () => {
  const asked = await stack.rpc.send([script({ do: 'askNumber', text: 'How many?' }, { do: 'complete' })]);
  const again = await stack.rpc.send('many', { taskId: asked.id });
  expect(again.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  expect(JSON.stringify(again.status.message?.parts)).toContain('a number is needed');
  const done = await stack.rpc.send('3', { taskId: asked.id });
  expect(artifactText(done, 'number')).toBe('3');
});

test('E01 an ask that is not answered in time fails the task and says so', async () => {
  const task = await stack.rpc.send([script({ do: 'ask', text: 'Quick?', timeout: 300 })], {
    configuration: { returnImmediately: true },
  });
  const failed = await stack.rpc.until(task.id, ['TASK_STATE_FAILED']);
  expect(JSON.stringify(failed.status.message)).toContain('No reply came in time');
});

test('X14 a plain error in agent code ends FAILED, with nothing of it shown', async () => {
  const task = await stack.rpc.send([script({ do: 'throw', text: 'token=abc at /srv/secret.ts' })]);
  expect(task.status.state).toBe('TASK_STATE_FAILED');
  expect(JSON.stringify({ ...task, history: [] })).not.toMatch(/token=abc|secret\.ts|stack/);
  const activity = await stack.rpc.send([script({ do: 'throwingActivity' })]);
  expect(activity.status.state).toBe('TASK_STATE_FAILED');
  expect(JSON.stringify(activity)).not.toContain('hunter2');
});

test('A14 X14 a signal that holds no message is passed over, and the task still takes its reply', async () => {
  const paused = await stack.rpc.send([script({ do: 'ask', text: 'Which city?' }, { do: 'complete' })]);
  const run = stack.client.workflow.getHandle(paused.id);
  for (const junk of [null, 'Lisbon', {}, { messageId: 'm', parts: [null] }]) await run.signal('reply', junk);
  await run.signal('reply', { messageId: 'm1', parts: [{ text: 'Lisbon' }] });
  const done = await stack.rpc.until(paused.id, ['TASK_STATE_COMPLETED']);
  expect(done.history?.filter(({ role }) => role === 'ROLE_USER')).toHaveLength(2);
});

test('A07 rejection at once is SUBMITTED to REJECTED; fail says its reason', async () => {
  const frames = await stack.rpc.all(
    'SendStreamingMessage',
    sendParams([script({ do: 'reject', text: 'Not my field' })]),
  );
  const states = frames.map(({ event }) =>
    'statusUpdate' in event ? event.statusUpdate.status.state : 'task',
  );
  expect(states).toEqual(['task', 'TASK_STATE_REJECTED']);
  const failed = await stack.rpc.send([script({ do: 'fail', text: 'No data' })]);
  expect(failed.status.state).toBe('TASK_STATE_FAILED');
  expect(failed.status.message?.parts).toEqual([{ text: 'No data' }]);
});

test('A15 AUTH_REQUIRED names connector, address and time; the signal resumes it; a message does not', async () => {
  // It waits for the message, which the signal may overtake on its way.
  const steps = script({ do: 'auth', connector: 'calendar' }, { do: 'receive' }, { do: 'complete' });
  const paused = await stack.rpc.send([steps]);
  expect(paused.status.state).toBe('TASK_STATE_AUTH_REQUIRED');
  const data = paused.status.message?.parts.find((part) => 'data' in part);
  expect(data).toMatchObject({ data: { connector: 'calendar', url: 'https://auth.example/start' } });
  const still = await stack.rpc.send('I did it', { taskId: paused.id });
  expect(still.status.state).toBe('TASK_STATE_AUTH_REQUIRED');
  await stack.client.workflow.getHandle(paused.id).signal('resolveAuth', { connector: 'calendar' });
  const done = await stack.rpc.until(paused.id, ['TASK_STATE_COMPLETED']);
  expect(artifactText(done, 'received')).toBe('I did it');
});

test('A15 authorisation that never comes fails the task', async () => {
  const paused = await stack.rpc.send([script({ do: 'auth', connector: 'calendar', timeout: 300 })]);
  const failed = await stack.rpc.until(paused.id, ['TASK_STATE_FAILED']);
  expect(JSON.stringify(failed.status.message)).toContain('calendar');
});

test('A13 a message to a WORKING task reaches the agent; one still unread stays in history', async () => {
  const busy = await stack.rpc.send(
    [
      script(
        { do: 'working', text: 'on it' },
        { do: 'receive' },
        { do: 'activity', millis: 400 },
        { do: 'complete' },
      ),
    ],
    { configuration: { returnImmediately: true } },
  );
  const [first, second] = await Promise.all([
    stack.rpc.send('note one', { taskId: busy.id }),
    new Promise((resolve) => setTimeout(resolve, 150)).then(() =>
      stack.rpc.send('note two', { taskId: busy.id }),
    ),
  ]);
  expect(first.status.state).toBe('TASK_STATE_COMPLETED');
  expect(second.status.state).toBe('TASK_STATE_COMPLETED');
  expect(artifactText(first, 'received')).toBe('note one');
  expect(second.history?.map((m) => JSON.stringify(m.parts)).join()).toContain('note two');
});

test('A13 turns of one context run one at a time, in order of arrival; another context does not wait', async () => {
  const contextId = `ctx-${Date.now()}`;
  const order: string[] = [];
  const send = async (name: string, context: string): Promise<void> => {
    await stack.rpc.send([script({ do: 'activity', millis: 150 }, { do: 'complete', text: name })], {
      contextId: context,
    });
    order.push(name);
  };
  const started = Date.now();
  const sends = [];
  for (const name of ['a', 'b', 'c']) {
    sends.push(send(name, contextId));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  sends.push(send('elsewhere', `${contextId}-other`));
  await Promise.all(sends);
  expect(order.filter((name) => name !== 'elsewhere')).toEqual(['a', 'b', 'c']);
  expect(order.indexOf('elsewhere')).toBeLessThan(2);
  expect(Date.now() - started).toBeGreaterThan(400);
});

test('A13 a paused task holds no turn', async () => {
  const contextId = `ctx-paused-${Date.now()}`;
  const paused = await stack.rpc.send([script({ do: 'ask', text: 'Well?' }, { do: 'complete' })], {
    contextId,
  });
  const other = await stack.rpc.send('hello', { contextId });
  expect(other.status.state).toBe('TASK_STATE_COMPLETED');
  const done = await stack.rpc.send('yes', { taskId: paused.id });
  expect(done.status.state).toBe('TASK_STATE_COMPLETED');
});

test('A11 A10 a task sees the context before it and the tasks that it refers to', async () => {
  const contextId = `ctx-memory-${Date.now()}`;
  const first = await stack.rpc.send('remember blue', { contextId });
  const second = await stack.rpc.send([script({ do: 'history' }, { do: 'references' }, { do: 'complete' })], {
    contextId,
    referenceTaskIds: [first.id],
  });
  expect(artifactText(second, 'history')).toContain('remember blue');
  expect(artifactText(second, 'history')).toContain('done: remember blue');
  expect(artifactText(second, 'references')).toContain(first.id);
});

test('A14 A15 parallel steps pause a task one after the other, and no pause hides another', async () => {
  const branches = [
    [{ do: 'auth', connector: 'crm' } as const],
    [{ do: 'ask', text: 'Which one?' } as const],
  ];
  const { id, status } = await stack.rpc.send([script({ do: 'parallel', branches }, { do: 'complete' })]);
  expect(status.state).toBe('TASK_STATE_AUTH_REQUIRED');
  await stack.client.workflow.getHandle(id).signal('resolveAuth', { connector: 'crm' });
  const asked = await stack.rpc.until(id, ['TASK_STATE_INPUT_REQUIRED']);
  expect(asked.status.message?.parts).toEqual([{ text: 'Which one?' }]);
  const done = await stack.rpc.send('the first', { taskId: id });
  expect(done.status.state).toBe('TASK_STATE_COMPLETED');
  expect(artifactText(done, 'reply')).toBe('the first');
});

test('E08 background work holds the task in WORKING and is announced', async () => {
  const frames = await stack.rpc.all(
    'SendStreamingMessage',
    sendParams([script({ do: 'background', millis: 200, text: 'indexing' }, { do: 'complete', text: 'ok' })]),
  );
  const announced = frames.flatMap(({ event }) =>
    'statusUpdate' in event && event.statusUpdate.metadata?.['$backgroundTasks']
      ? [event.statusUpdate.metadata['$backgroundTasks']]
      : [],
  );
  expect(announced).toEqual([[{ id: '1', description: 'indexing' }], []]);
  const last = frames.at(-1)?.event;
  expect(last && 'statusUpdate' in last && last.statusUpdate.status.state).toBe('TASK_STATE_COMPLETED');
});

test('E09 a job of many steps continues as new at checkpoints and loses no message on the way', async () => {
  const task = await stack.rpc.send(
    [
      script(
        { do: 'repeat', times: 450, steps: [{ do: 'activity', millis: 0 }] },
        { do: 'received' },
        { do: 'complete' },
      ),
    ],
    { configuration: { returnImmediately: true } },
  );
  for (let note = 0; note < 5; note++) {
    await stack.rpc.send(`note ${note}`, { taskId: task.id, configuration: { returnImmediately: true } });
    await new Promise((resolve) => setTimeout(resolve, 400));
  }
  const done = await stack.rpc.until(task.id, ['TASK_STATE_COMPLETED'], 50_000);
  expect(artifactText(done, 'received')).toBe('note 0|note 1|note 2|note 3|note 4');
  const run = await stack.client.workflow.getHandle(task.id).describe();
  const first = run.raw.workflowExecutionInfo?.firstRunId;
  expect(run.runId).not.toBe(first);
});

test('X33 C12 an agent and its activities read a part over 64 KiB whole; a file of 5 MB comes back whole', async () => {
  const steps = script({ do: 'size' }, { do: 'complete' });
  const read = await stack.rpc.send([steps, { text: 'x'.repeat(300_000) }]);
  const size = read.artifacts?.find(({ name }) => name === 'size');
  expect(size?.parts).toEqual([{ data: { inAgent: 300_000, inActivity: 300_000 } }]);

  const raw = Buffer.alloc(5_000_000, 7).toString('base64');
  const echoed = await stack.rpc.send([
    script({ do: 'echo' }, { do: 'complete' }),
    { raw, filename: 'big.bin' },
  ]);
  const echo = echoed.artifacts?.find(({ name }) => name === 'echo');
  const file = echo?.parts.find((part) => 'raw' in part);
  expect(file && 'raw' in file && file.raw === raw).toBe(true);
  const history = await stack.client.workflow.getHandle(echoed.id).fetchHistory();
  expect(JSON.stringify(history).length).toBeLessThan(100_000);

  const asked = await stack.rpc.send([script({ do: 'ask', text: '?' }, { do: 'complete' })]);
  const answered = await stack.rpc.send('y'.repeat(100_000), { taskId: asked.id });
  expect(artifactText(answered, 'reply')).toBe('y'.repeat(100_000));

  const tooBig = await stack.rpc.send([steps, { text: 'x'.repeat(1_500_000) }]);
  expect(tooBig.status.state).toBe('TASK_STATE_FAILED');
  expect(JSON.stringify(tooBig.status.message)).toContain('too big');
});

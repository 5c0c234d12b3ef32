import { ApplicationFailure } from '@temporalio/common';
import { expect, test } from 'vitest';
import { AskTimeout, defineAgent, type AgentDefinition, type TaskContext } from '../../index.js';
import { startAgent, testAgent } from '../../testing/index.js';

/** What the harness itself promises; the demo agents' own tests show it in use. */

function agent(
  run: (task: TaskContext) => Promise<void>,
  more: Partial<AgentDefinition> = {},
): AgentDefinition {
  const skills = [{ id: 's', name: 'S', description: 'S', tags: [] }];
  return defineAgent({
    code: 'tested',
    card: { name: 'Tested', description: 'Tested', skills },
    run,
    ...more,
  });
}

const states = (events: Awaited<ReturnType<typeof testAgent>>['events']): string[] =>
  events.flatMap((event) => ('statusUpdate' in event ? [event.statusUpdate.status.state] : []));

test('E01 days of sleep take no time, and the agent sees them pass', async () => {
  const began = performance.now();
  const { text } = await testAgent(
    agent(async (task) => {
      const before = task.now();
      await task.sleep('3 days');
      await task.complete(String(task.now() - before));
    }),
    'Hi',
  );
  expect(text).toBe(String(3 * 86_400_000));
  expect(performance.now() - began).toBeLessThan(5_000);
});

test('E01 a question without a reply runs into its timeout; without one the test fails and says what was asked', async () => {
  const impatient = agent(async (task) => {
    try {
      await task.ask('Are you there?', { timeout: '2 days' });
    } catch (error) {
      if (!(error instanceof AskTimeout)) throw error;
      await task.complete('Nobody came');
    }
  });
  expect((await testAgent(impatient, 'Hi')).text).toBe('Nobody came');
  const patient = agent(async (task) => {
    await task.ask('Are you there?');
  });
  await expect(testAgent(patient, 'Hi')).rejects.toThrow('“Are you there?” and the test has no reply left');
});

test('E01 replies may be computed from the question', async () => {
  const { text, questions } = await testAgent(
    agent(async (task) => {
      const sum = Number(await task.ask('2 + 2?')) + Number(await task.ask('3 + 3?'));
      await task.complete(String(sum));
    }),
    { message: 'Hi', replies: Array(2).fill((question: string) => (question.startsWith('2') ? '4' : '6')) },
  );
  expect(text).toBe('10');
  expect(questions).toEqual(['2 + 2?', '3 + 3?']);
});

test('E01 time stands still while the agent waits for the test, until the test lets it pass', async () => {
  const t = startAgent(
    agent(async (task) => {
      await task.ask('Yes?', { timeout: '1 hour' }).catch(() => task.fail('Too late'));
      await task.complete('In time');
    }),
    'Hi',
  );
  await t.until('TASK_STATE_INPUT_REQUIRED');
  await t.elapse('59 minutes');
  expect(t.state).toBe('TASK_STATE_INPUT_REQUIRED');
  await t.elapse('2 minutes');
  const task = await t.done();
  expect(task.status).toMatchObject({
    state: 'TASK_STATE_FAILED',
    message: { parts: [{ text: 'Too late' }] },
  });
});

test('E01 what a test waits for and cannot get is said, not waited for', async () => {
  const asking = startAgent(
    agent(async (task) => {
      await task.ask('Which?');
    }),
    'Hi',
  );
  await expect(asking.done()).rejects.toThrow('it asks “Which?”: reply() first');

  const quick = startAgent(
    agent((task) => task.complete('Done')),
    'Hi',
  );
  await expect(quick.until('TASK_STATE_AUTH_REQUIRED')).rejects.toThrow(
    'the task ended in TASK_STATE_COMPLETED',
  );

  const stuck = startAgent(
    agent(() => new Promise(() => undefined)),
    'Hi',
  );
  await expect(stuck.done()).rejects.toThrow('the task cannot reach a terminal state');
});

test('A13 a follow-up that comes while the agent works reaches it', async () => {
  const t = startAgent(
    agent(async (task) => {
      await task.working('Busy');
      const first = await task.receive({ timeout: '1 hour' });
      await task.complete([...first.parts, { data: task.received().length }]);
    }),
    'Hi',
  );
  await t.until('TASK_STATE_WORKING');
  t.reply('One more thing');
  const task = await t.done();
  expect(task.artifacts?.[0]?.parts).toEqual([{ text: 'One more thing' }, { data: 0 }]);
  expect(task.history?.map(({ role }) => role)).toEqual(['ROLE_USER', 'ROLE_AGENT', 'ROLE_USER']);
});

test('A15 authorisation is given, or not in time', async () => {
  const careful = agent(async (task) => {
    await task.requireAuth({ connector: 'crm', url: 'https://example.com/auth' });
    await task.complete('Signed in');
  });
  const granted = await testAgent(careful, 'Hi');
  expect(granted.text).toBe('Signed in');
  expect(states(granted.events)).toContain('TASK_STATE_AUTH_REQUIRED');
  const expired = await testAgent(careful, { message: 'Hi', auth: 'expire' });
  expect(expired.task.status.state).toBe('TASK_STATE_FAILED');

  const t = startAgent(careful, 'Hi');
  await t.until('TASK_STATE_AUTH_REQUIRED');
  t.resolveAuth('crm');
  expect((await t.done()).status.state).toBe('TASK_STATE_COMPLETED');
});

test('A16 cancel stops a sleep; the code of the agent stops there', async () => {
  let wentOn = false;
  const t = startAgent(
    agent(async (task) => {
      try {
        await task.working('Off to sleep');
        await task.sleep('1 day');
      } finally {
        wentOn = true;
      }
    }),
    'Hi',
  );
  await t.until('TASK_STATE_WORKING');
  const before = t.now();
  t.cancel();
  const task = await t.done();
  expect(task.status.state).toBe('TASK_STATE_CANCELED');
  expect(t.now()).toBe(before);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(wentOn).toBe(false);
});

test('E01 an own activity is tried again as Temporal would, with one idempotency key and JSON both ways', async () => {
  const seen: { attempt: number; key: string; input: unknown }[] = [];
  const { task, text } = await testAgent(
    agent(async (context) => {
      const calls = context.activities<{ send(input: { at: Date }): Promise<{ when: Date }> }>();
      const sent = await calls.send({ at: new Date(0) });
      await context.complete(JSON.stringify(sent));
    }),
    {
      message: 'Hi',
      activities: {
        send: async (input: unknown, { attempt, idempotencyKey }) => {
          seen.push({ attempt, key: idempotencyKey, input });
          if (attempt < 3) throw new Error('flaky');
          return { when: new Date(1), lost: undefined };
        },
      },
    },
  );
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  expect(seen.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
  expect(new Set(seen.map(({ key }) => key)).size).toBe(1);
  expect(seen[0]?.input).toEqual({ at: '1970-01-01T00:00:00.000Z' });
  expect(text).toBe('{"when":"1970-01-01T00:00:00.001Z"}');
});

test.each([
  ['after its last attempt', () => new Error('down'), 5],
  ['at once where a retry cannot help', () => ApplicationFailure.nonRetryable('no such account'), 1],
])(
  'X14 an activity that keeps failing fails the task %s; only operators read why',
  async (_when, error, attempts) => {
    let calls = 0;
    const { task, log } = await testAgent(
      agent(async (context) => {
        await context.activities<{ send(): Promise<void> }>().send();
      }),
      {
        message: 'Hi',
        activities: {
          send: async () => {
            calls += 1;
            throw error();
          },
        },
      },
    );
    expect(calls).toBe(attempts);
    expect(task.status.state).toBe('TASK_STATE_FAILED');
    expect(JSON.stringify(task)).not.toContain(error().message);
    expect(log).toContainEqual(expect.objectContaining({ level: 'error', message: 'agent failed' }));
    expect(JSON.stringify(log)).toContain(error().message);
  },
);

test('E01 an activity that the test forgot is the test’s failure, not the task’s', async () => {
  const calling = agent(async (task) => {
    await task.activities<{ send(): Promise<void> }>().send();
  });
  await expect(testAgent(calling, { message: 'Hi', activities: { sent: () => undefined } })).rejects.toThrow(
    "the test gives no activity 'tested.send'; it gives: sent",
  );
});

const asker = agent(async (task) => {
  const answer = await task.generate({
    prompt: task.text,
    system: 'Be kind.',
    tools: {
      weather: {
        description: 'The weather',
        parameters: { type: 'object' },
        execute: (input) => ({ city: (input as { city: string }).city, degrees: 21 }),
      },
    },
  });
  await task.complete(answer);
});

test('E01 B04 scripted model answers, a tool call in between', async () => {
  const { text, task } = await testAgent(asker, {
    message: 'How warm is it?',
    model: [{ say: 'Let me look.', calls: [{ name: 'weather', input: { city: 'Paris' } }] }, 'It is warm.'],
  });
  expect(text).toBe('It is warm.');
  expect(task.artifacts?.map(({ metadata }) => metadata?.type)).toEqual(['intermediate-thinking', undefined]);
});

test('E01 a model made of a function is asked what a real one would be', async () => {
  const { text } = await testAgent(asker, {
    message: 'How warm is it?',
    model: ({ prompt, system, tools, toolResults }) => {
      if (toolResults.length === 0)
        return { calls: [{ name: 'weather', input: { city: prompt.slice(0, 3) } }] };
      return `${system} ${tools.join()} ${JSON.stringify(toolResults)}`;
    },
  });
  expect(text).toBe('Be kind. weather [{"city":"How","degrees":21}]');
});

test('E02 a model that fails is tried again', async () => {
  let calls = 0;
  const { text, task } = await testAgent(asker, {
    message: 'Hi',
    model: () => {
      calls += 1;
      if (calls < 3) throw new Error('overloaded');
      return 'At last';
    },
  });
  expect(text).toBe('At last');
  expect(calls).toBe(3);
  expect(task.artifacts).toHaveLength(1);
});

test('E01 a model that is asked more often than the test has answers fails the test', async () => {
  await expect(testAgent(asker, { message: 'Hi', model: [] })).rejects.toThrow(
    'the agent asked the model 1 times, the test gives 0 answers',
  );
});

test('B04 text that was streaming when the agent asks is closed as thinking before the question', async () => {
  const { events } = await testAgent(
    agent(async (task) => {
      await task.generate({ prompt: 'think' });
      await task.ask('So?');
      await task.complete('Good');
    }),
    { message: 'Hi', model: ['Hmm, let me see'], replies: ['Go'] },
  );
  const asked = events.findIndex(
    (event) => 'statusUpdate' in event && event.statusUpdate.status.state === 'TASK_STATE_INPUT_REQUIRED',
  );
  expect(events[asked - 1]).toMatchObject({
    artifactUpdate: {
      append: false,
      lastChunk: true,
      artifact: { parts: [{ text: 'Hmm, let me see' }], metadata: { type: 'intermediate-thinking' } },
    },
  });
});

test('E01 steps run in parallel, and one after the other in the same order every time', async () => {
  const run = () =>
    testAgent(
      agent(async (task) => {
        const order: number[] = [];
        await Promise.all(
          [3, 1, 2].map(async (n) => {
            await task.sleep(n * 1_000);
            order.push(n);
          }),
        );
        await task.complete(order.join());
      }),
      'Hi',
    );
  const [one, two] = [await run(), await run()];
  expect(one.text).toBe('1,2,3');
  expect(one.events).toEqual(two.events);
});

test('E09 each checkpoint begins anew: what it leaves out is missed in the test', async () => {
  const forgetful = agent(async (task) => {
    const state = (task.checkpointed ?? { rounds: 0 }) as { rounds: number };
    let forgotten = 0;
    for (let { rounds } = state; rounds < 3; rounds++) {
      forgotten += 1;
      await task.checkpoint({ rounds: rounds + 1 });
    }
    await task.complete(String(forgotten));
  });
  expect((await testAgent(forgetful, 'Hi')).text).toBe('0');
  expect((await testAgent(forgetful, { message: 'Hi', restartAtCheckpoints: false })).text).toBe('3');
});

test('A03 an agent that may answer either way: directly, or as a task once it acts', async () => {
  const direct = await testAgent(
    agent((task) => task.reply('Hi there'), { answers: 'either' }),
    'Hi',
  );
  expect(direct.events).toEqual([{ message: direct.message }]);
  const acting = await testAgent(
    agent(
      async (task) => {
        await task.working('A moment');
        await task.reply('Hi there');
      },
      { answers: 'either' },
    ),
    'Hi',
  );
  expect(acting.message).toBeUndefined();
  expect(acting.text).toBe('Hi there');
  expect(acting.task.status.state).toBe('TASK_STATE_COMPLETED');
  expect(acting.events[0]).toHaveProperty('task');
});

test('A07 X14 an agent’s decision is shown, a bug of the agent is not', async () => {
  const rejected = await testAgent(
    agent(async (task) => task.reject('Not on Sundays')),
    'Hi',
  );
  expect(rejected.task.status).toMatchObject({
    state: 'TASK_STATE_REJECTED',
    message: { parts: [{ text: 'Not on Sundays' }] },
  });
  const broken = await testAgent(
    agent(async () => {
      throw new TypeError('secret of /etc/passwd');
    }),
    'Hi',
  );
  expect(broken.task.status.state).toBe('TASK_STATE_FAILED');
  expect(JSON.stringify(broken.task)).not.toContain('secret');
  expect(JSON.stringify(broken.log)).toContain('secret of /etc/passwd');
});

test.each([
  ['a reason', async (task: TaskContext) => task.reject(42 as never)],
  ['an answer', async (task: TaskContext) => task.complete({ hotels: [] } as never)],
  ['a question', (task: TaskContext) => task.ask([null] as never).then(() => undefined)],
])('X14 %s that is neither text nor parts ends the task, which would wait for ever', async (_, run) => {
  const { task, log } = await testAgent(agent(run), 'Hi');
  expect(task.status).toMatchObject({
    state: 'TASK_STATE_FAILED',
    message: { parts: [{ text: 'The agent stopped with an internal error.' }] },
  });
  expect(JSON.stringify(log)).toContain('content is text or a list of parts');
});

test('B04 a stream that a question had closed as thinking is the answer once its author closes it', async () => {
  const { task } = await testAgent(
    agent(async (task) => {
      const draft = task.stream({ name: 'draft' });
      await draft.write('Dear ');
      await task.ask('Whom do you write to?');
      await draft.close();
      task.fail('That is all');
    }),
    { message: 'A letter', replies: ['Ada'] },
  );
  const [draft] = task.artifacts ?? [];
  expect(draft).toMatchObject({ name: 'draft', parts: [{ text: 'Dear ' }] });
  expect(draft?.metadata).toBeUndefined();
});

test('A10 A11 references and the earlier conversation are the test’s to give', async () => {
  const conversation = [{ messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'I am Ada' }] }];
  const { text } = await testAgent(
    agent(async (task) => {
      const earlier = await task.conversation();
      const answer = await task.generate({ prompt: 'Who am I?' });
      await task.complete(`${earlier.length}: ${answer.text}`);
    }),
    { message: 'Who am I?', conversation, model: ({ messages }) => `${messages.length} messages` },
  );
  expect(text).toBe('1: 2 messages');
});

test('E08 background work holds the task in WORKING until it ends', async () => {
  const { events, text } = await testAgent(
    agent(async (task) => {
      let done = 'no';
      task.background('Index the files', async () => {
        await task.sleep('1 hour');
        done = 'yes';
      });
      await task.sleep('1 minute');
      await task.complete([{ text: done }]);
    }),
    'Hi',
  );
  const announced = events.flatMap((event) =>
    'statusUpdate' in event && event.statusUpdate.metadata?.$backgroundTasks
      ? [event.statusUpdate.metadata.$backgroundTasks]
      : [],
  );
  expect(announced).toEqual([[{ id: '1', description: 'Index the files' }], []]);
  expect(text).toBe('no');
  expect(states(events).at(-1)).toBe('TASK_STATE_COMPLETED');
});

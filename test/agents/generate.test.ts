import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  defineAgent,
  OutputMismatch,
  type AgentDefinition,
  type Json,
  type TaskContext,
} from '../../index.js';
import { testAgent } from '../../testing/index.js';

/** `generate` as an agent sees it; test/model shows what goes to a provider. */

function agent(run: (task: TaskContext) => Promise<void>): AgentDefinition {
  const skills = [{ id: 's', name: 'S', description: 'S', tags: [] }];
  return defineAgent({ code: 'tested', card: { name: 'Tested', description: 'Tested', skills }, run });
}

const TRIP = z.object({ city: z.string(), days: z.number().int().min(1) });

test('E02 an answer of an asked form is typed for the agent, and data for the client', async () => {
  const { task, events } = await testAgent(
    agent(async (task) => {
      const trip = await task.generate({ prompt: task.text, output: TRIP });
      await task.working(`${trip.output.city.toUpperCase()} for ${trip.output.days + 1}`);
      await task.complete(trip);
    }),
    { message: 'Where to?', model: ['{"city":"Oslo","days":2}'] },
  );
  expect(JSON.stringify(task.history)).toContain('OSLO for 3');
  expect(task.artifacts).toMatchObject([{ name: 'answer', parts: [{ data: { city: 'Oslo', days: 2 } }] }]);
  // Nobody is shown half a JSON.
  expect(events.filter((event) => 'artifactUpdate' in event)).toHaveLength(1);
});

test('E02 A17 the model is told what is wrong with its answer, and all its turns are paid for', async () => {
  const asked: string[] = [];
  const { task } = await testAgent(
    agent(async (task) => task.complete(await task.generate({ prompt: 'Where to?', output: TRIP }))),
    {
      message: 'Hi',
      model: ({ prompt }) => {
        asked.push(prompt);
        return (
          ['Oslo, I think', '{"city":"Oslo","days":0}', '{"city":"Oslo","days":2}'][asked.length - 1] ?? ''
        );
      },
    },
  );
  expect(task.artifacts?.[0]?.parts).toEqual([{ data: { city: 'Oslo', days: 2 } }]);
  expect(asked).toHaveLength(3);
  expect(asked[1]).toContain('it is not JSON');
  expect(asked[2]).toMatch(/days: .*1/);
  expect(task.metadata?.['$usage']).toMatchObject({ outputTokens: 3 + 1 + 1 });
});

test('E02 an answer that never fits fails the task with what is wrong, or is the agent’s to catch', async () => {
  const answers = { message: 'Hi', model: Array<string>(3).fill('{"city":7,"days":2}') };
  const careless = await testAgent(
    agent(async (task) => task.complete(await task.generate({ prompt: 'Where to?', output: TRIP }))),
    answers,
  );
  expect(careless.task.status.state).toBe('TASK_STATE_FAILED');
  expect(JSON.stringify(careless.task.status.message)).toContain('the form that was asked for: city: ');

  const careful = await testAgent(
    agent(async (task) => {
      try {
        await task.generate({ prompt: 'Where to?', output: TRIP });
      } catch (error) {
        if (!(error instanceof OutputMismatch)) throw error;
        await task.complete(`Nowhere: ${error.problem.slice(0, 5)}`);
      }
    }),
    answers,
  );
  expect(careful.text).toBe('Nowhere: city:');
});

test('E02 a JSON Schema will do: its answer is plain JSON', async () => {
  const schema = { type: 'array', items: { type: 'string' } };
  let output: Json = null;
  const { task } = await testAgent(
    agent(async (task) => {
      ({ output } = await task.generate({ prompt: 'Name two', output: schema }));
      await task.complete([{ data: output }]);
    }),
    { message: 'Hi', model: ['[1, 2]', '["a","b"]'] },
  );
  expect(output).toEqual(['a', 'b']);
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
});

test('E02 what a schema makes of an answer is the agent’s; the client gets what the model said', async () => {
  const when = z.object({ at: z.string().transform((text) => new Date(text)) });
  const { task } = await testAgent(
    agent(async (task) => {
      const answer = await task.generate({ prompt: 'When?', output: when });
      await task.working(String(answer.output.at.getUTCFullYear()));
      await task.complete(answer);
    }),
    { message: 'Hi', model: ['{"at":"2027-05-01"}'] },
  );
  expect(JSON.stringify(task.history)).toContain('2027');
  expect(task.artifacts?.[0]?.parts).toEqual([{ data: { at: '2027-05-01' } }]);
});

test('E02 tools first, then an answer of the asked form', async () => {
  const { task } = await testAgent(
    agent(async (task) => {
      const tools = { rain: { description: 'Rain', parameters: {}, execute: () => ({ mm: 3 }) } };
      await task.complete(await task.generate({ prompt: 'Where to?', output: TRIP, tools }));
    }),
    {
      message: 'Hi',
      model: [{ say: 'Let me look.', calls: [{ name: 'rain' }] }, '{"city":"Bergen","days":1}'],
    },
  );
  expect(task.artifacts).toMatchObject([
    { parts: [{ text: 'Let me look.' }], metadata: { type: 'intermediate-thinking' } },
    { parts: [{ data: { city: 'Bergen', days: 1 } }] },
  ]);
});

test('E02 a schema that tells no JSON Schema is refused before the model is asked', async () => {
  const plain = { '~standard': { validate: (value: unknown) => ({ value }) } };
  const { task, log } = await testAgent(
    agent(async (task) => {
      await task.generate({ prompt: 'Where to?', output: plain });
    }),
    { message: 'Hi', model: [] },
  );
  expect(task.status.state).toBe('TASK_STATE_FAILED');
  expect(JSON.stringify(log)).toContain('makes no JSON Schema');
});

test('E02 the tool calls of one answer run at once, and their results come in the order of the calls', async () => {
  let running = 0;
  let most = 0;
  const wait = async ({ millis }: { millis: number }): Promise<string> => {
    most = Math.max(most, ++running);
    await delay(millis);
    running -= 1;
    return `waited ${millis}`;
  };
  const results: Json[] = [];
  const { task } = await testAgent(
    agent(async (task) => {
      const own = task.activities<{ wait: typeof wait }>();
      const tools = {
        wait: {
          description: 'Waits',
          parameters: {},
          execute: (input: Json) => own.wait(input as { millis: number }),
        },
        fails: {
          description: 'Fails',
          parameters: {},
          execute: () => Promise.reject(new Error('a secret')),
        },
      };
      await task.complete(await task.generate({ prompt: 'Go', tools }));
    }),
    {
      message: 'Hi',
      activities: { wait },
      model: ({ toolResults }) => {
        if (toolResults.length === 0) {
          const calls = [60, 10, 30].map((millis) => ({ name: 'wait', input: { millis } }));
          return { calls: [...calls, { name: 'fails' }, { name: 'unknown' }] };
        }
        results.push(...toolResults);
        return 'Done';
      },
    },
  );
  expect(most).toBe(3);
  expect(results).toEqual([
    'waited 60',
    'waited 10',
    'waited 30',
    'The agent stopped with an internal error.',
    'There is no tool unknown.',
  ]);
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
});

test('A17 what a model call that failed for good had used is in the task’s usage', async () => {
  const { task } = await testAgent(
    agent(async (task) => {
      await task.generate({ prompt: 'one two' }).then((first) => task.artifact({ content: first.text }));
      await task.complete(await task.generate({ prompt: 'three', output: { type: 'object', if: {} } }));
    }),
    { message: 'Hi', model: ['a b c'] },
  );
  expect(task.status.state).toBe('TASK_STATE_FAILED');
  expect(task.metadata?.['$usage']).toMatchObject({ outputTokens: 3 });
});

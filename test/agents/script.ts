import { defineAgent, type Json, type TaskContext } from '../../index.js';
import type * as activities from './script.activities.js';

/** What the script agent can be told to do, as the data part of its first message. */
export type Step =
  | { do: 'working'; text: string }
  | { do: 'ask'; text: string; timeout?: number }
  | { do: 'askNumber'; text: string }
  | { do: 'auth'; connector: string; timeout?: number }
  | { do: 'artifact'; text: string; name?: string }
  | { do: 'stream'; pieces: string[]; close?: boolean }
  /** `tool`: name of a tool that the model may call, and which gives its input back. */
  | { do: 'generate'; prompt: string; keep?: boolean; model?: string; tool?: string }
  | { do: 'activity'; millis: number; stubborn?: boolean }
  | { do: 'throwingActivity' }
  | { do: 'sleep'; millis: number }
  | { do: 'parallel'; branches: Step[][] }
  | { do: 'repeat'; times: number; steps: Step[] }
  | { do: 'bigCheckpoint'; bytes: number }
  | { do: 'received' }
  | { do: 'receive' }
  | { do: 'background'; millis: number; text: string }
  /** Not awaited, as careless code does. */
  | { do: 'floating'; steps: Step[] }
  | { do: 'history' }
  | { do: 'references' }
  | { do: 'echo' }
  | { do: 'size' }
  | { do: 'throw'; text: string }
  | { do: 'fail'; text: string }
  | { do: 'reject'; text: string }
  | { do: 'reply'; text: string }
  | { do: 'complete'; text?: string; message?: string };

export function script(...steps: Step[]): { data: Json } {
  return { data: { steps } };
}

/** An agent for tests that does what the message says. Work with checkpoints continues after them. */
export default defineAgent({
  code: 'script',
  card: {
    name: 'Script',
    description: 'Runs the steps of its message',
    skills: [{ id: 'script', name: 'Script', description: 'Runs steps', tags: ['test'] }],
    defaultInputModes: ['*/*'],
  },
  run: (task) => runSteps(task, stepsOf(task)),
});

function stepsOf(task: TaskContext): Step[] {
  for (const part of task.message.parts) {
    if ('data' in part && typeof part.data === 'object' && part.data !== null && 'steps' in part.data) {
      return part.data.steps as unknown as Step[];
    }
  }
  return [{ do: 'complete', text: `done: ${task.text}` }];
}

export async function runSteps(task: TaskContext, steps: Step[]): Promise<void> {
  for (const step of steps) await runStep(task, step);
}

async function runStep(task: TaskContext, step: Step): Promise<void> {
  const own = task.activities<typeof activities>({ maximumAttempts: 3 });
  switch (step.do) {
    case 'working':
      return task.working(step.text);
    case 'ask':
      await task.artifact({
        name: 'reply',
        content: await task.ask(step.text, step.timeout === undefined ? {} : { timeout: step.timeout }),
      });
      return;
    case 'askNumber':
      await task.artifact({ name: 'number', content: String(await task.askFor(step.text, numberSchema)) });
      return;
    case 'auth':
      return task.requireAuth({
        connector: step.connector,
        url: 'https://auth.example/start',
        ...(step.timeout !== undefined && { timeout: step.timeout }),
      });
    case 'artifact':
      await task.artifact({ ...(step.name !== undefined && { name: step.name }), content: step.text });
      return;
    case 'stream': {
      const stream = task.stream({ name: 'stream' });
      for (const piece of step.pieces) await stream.write(piece);
      if (step.close !== false) await stream.close();
      return;
    }
    case 'generate': {
      const { prompt, model, tool } = step;
      const generated = await task.generate({
        prompt,
        ...(model !== undefined && { model }),
        ...(tool !== undefined && {
          tools: { [tool]: { description: 'Gives back', parameters: {}, execute: (input) => input } },
        }),
      });
      if (step.keep !== true) await task.complete(generated);
      return;
    }
    case 'activity':
      await own.work({ millis: step.millis, stubborn: step.stubborn ?? false });
      return;
    case 'throwingActivity':
      await own.explode({});
      return;
    case 'sleep':
      return task.sleep(step.millis);
    case 'parallel':
      await Promise.all(step.branches.map((branch) => runSteps(task, branch)));
      return;
    case 'repeat': {
      const from = (task.checkpointed as { done: number } | undefined)?.done ?? 0;
      for (let done = from; done < step.times; done++) {
        await runSteps(task, step.steps);
        await task.checkpoint({ done: done + 1 });
      }
      return;
    }
    case 'bigCheckpoint':
      return task.checkpoint('x'.repeat(step.bytes));
    case 'received':
      await task.artifact({ name: 'received', content: task.received().map(textOf).join('|') || '(none)' });
      return;
    case 'receive':
      await task.artifact({ name: 'received', content: textOf(await task.receive()) });
      return;
    case 'background':
      task.background(step.text, () => task.sleep(step.millis));
      return;
    case 'floating':
      void runSteps(task, step.steps);
      return;
    case 'history':
      await task.artifact({
        name: 'history',
        content: [{ data: (await task.conversation()).map(textOf) }],
      });
      return;
    case 'references':
      await task.artifact({
        name: 'references',
        content: [{ data: (await task.references()).map((found) => found.id) }],
      });
      return;
    case 'echo':
      await task.artifact({ name: 'echo', content: task.message.parts });
      return;
    case 'size': {
      const inAgent = textOf(await task.read()).length;
      await task.artifact({
        name: 'size',
        content: [{ data: { inAgent, inActivity: await own.size(task.message) } }],
      });
      return;
    }
    case 'throw':
      throw new TypeError(step.text);
    case 'fail':
      return task.fail(step.text);
    case 'reject':
      return task.reject(step.text);
    case 'reply':
      return task.reply(step.text);
    case 'complete':
      return task.complete(step.text, step.message === undefined ? {} : { message: step.message });
  }
}

function textOf(message: { parts: object[] }): string {
  return message.parts.map((part) => ('text' in part ? String(part.text) : '')).join('');
}

const numberSchema = {
  '~standard': {
    validate: (value: unknown) =>
      typeof value === 'number' ? { value } : { issues: [{ message: 'a number is needed' }] },
  },
};

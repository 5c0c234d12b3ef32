import { defineAgent } from '../index.js';
// Only the types: activities run in the worker, outside this durable code.
import type * as activities from './marathon.activities.js';

/** Numbers that one step looks at. */
const BLOCK = 10_000;

/** What a fresh history starts from. Plain JSON. */
interface Progress {
  step: number;
  primes: number;
}

/**
 * Works for hours: counts prime numbers, block by block, with a rest after each step. Four hours unless the
 * message says otherwise, such as `steps=20 every=50ms`. It goes on where it was after any crash or deploy.
 */
export default defineAgent({
  code: 'marathon',
  card: {
    name: 'Marathon',
    description: 'A long job in many small steps. Say `steps=20 every=50ms` for a short one.',
    skills: [
      {
        id: 'count-primes',
        name: 'Count primes',
        description: 'Counts prime numbers for hours, and reports on the way.',
        tags: ['demo', 'long-running'],
        examples: ['Start', 'steps=20 every=50ms'],
      },
    ],
  },

  async run(task) {
    const { steps, restMillis } = readPlan(task.text);
    const { countPrimes } = task.activities<typeof activities>();

    let { step, primes } = (task.checkpointed as Progress | undefined) ?? { step: 0, primes: 0 };
    while (step < steps) {
      primes += await countPrimes({ from: step * BLOCK, to: (step + 1) * BLOCK });
      step += 1;
      // At most a hundred reports, however many steps there are: each one stays in the task's history.
      if (percent(step, steps) > percent(step - 1, steps)) {
        await task.working(`Step ${step} of ${steps}: ${primes} primes so far`, { progress: step / steps });
      }
      if (restMillis > 0 && step < steps) await task.sleep(restMillis);
      // Temporal keeps a history of all steps, which must not grow for ever. Here it may begin a fresh one:
      // `run` then starts again, with this state in `task.checkpointed`.
      await task.checkpoint({ step, primes });
    }

    const below = steps * BLOCK;
    await task.complete(
      [{ text: `There are ${primes} primes below ${below}.` }, { data: { primes, below, steps } }],
      {
        name: 'report',
      },
    );
  },
});

function percent(step: number, steps: number): number {
  return Math.floor((step * 100) / steps);
}

const UNIT_MILLIS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** `steps=480 every=30s` is four hours, and what holds where the message leaves it open. */
function readPlan(text: string): { steps: number; restMillis: number } {
  const steps = Number(/\bsteps=(\d+)/.exec(text)?.[1] ?? 480);
  const [, amount = '30', unit = 's'] = /\bevery=(\d+)(ms|s|m|h)\b/.exec(text) ?? [];
  return {
    steps: Math.min(Math.max(steps, 1), 100_000),
    restMillis: Math.min(Number(amount) * UNIT_MILLIS[unit as keyof typeof UNIT_MILLIS], 24 * UNIT_MILLIS.h),
  };
}

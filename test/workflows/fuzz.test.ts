import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isTerminal } from '../../core/states.js';
import type { Task } from '../../core/task.js';
import { script, type Step } from '../agents/script.js';
import { replayAll } from '../support/replay.js';
import { startStack, type Stack } from '../support/stack.js';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

const atOnce = { configuration: { returnImmediately: true } };

const simple: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('working' as const), text: fc.string({ maxLength: 20 }) }),
  fc.record({ do: fc.constant('artifact' as const), text: fc.string({ minLength: 1, maxLength: 20 }) }),
  fc.record({
    do: fc.constant('stream' as const),
    pieces: fc.array(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 4 }),
    close: fc.boolean(),
  }),
  fc.record({ do: fc.constant('activity' as const), millis: fc.nat(30) }),
  fc.record({ do: fc.constant('sleep' as const), millis: fc.nat(30) }),
  fc.record({ do: fc.constant('ask' as const), text: fc.constant('?'), timeout: fc.constant(3_000) }),
  fc.constant<Step>({ do: 'received' }),
  fc.constant<Step>({ do: 'history' }),
  fc.record({ do: fc.constant('background' as const), millis: fc.nat(40), text: fc.constant('bg') }),
);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: simple },
    {
      weight: 1,
      arbitrary: fc
        .array(fc.array(simple, { maxLength: 3 }), { minLength: 2, maxLength: 3 })
        .map((branches): Step => ({ do: 'parallel', branches })),
    },
  ),
  { maxLength: 6 },
);
/** What the outside does meanwhile: a message, a cancel, nothing, with pauses in between. */
const outside = fc.array(
  fc.record({ pause: fc.nat(60), act: fc.constantFrom('message', 'message', 'signal', 'nothing', 'cancel') }),
  { maxLength: 6 },
);

async function drive(plan: Step[], acts: { pause: number; act: string }[]): Promise<Task> {
  const task = await stack.rpc.send([script(...plan)], atOnce);
  const handle = stack.client.workflow.getHandle(task.id);
  for (const { pause, act } of acts) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    // A task that ended in the meantime refuses: that is an answer too.
    if (act === 'message')
      await stack.rpc.send('note', { ...atOnce, taskId: task.id }).catch(() => undefined);
    if (act === 'cancel') await stack.rpc.call('CancelTask', { id: task.id });
    if (act === 'signal') {
      const message = { messageId: `signal-${pause}`, role: 'ROLE_USER', parts: [{ text: 'by signal' }] };
      await handle.signal('reply', message).catch(() => undefined);
    }
  }
  for (let patience = 0; patience < 100; patience++) {
    const now = await stack.rpc.get(task.id);
    if (isTerminal(now.status.state)) return now;
    if (now.status.state === 'TASK_STATE_INPUT_REQUIRED') {
      await stack.rpc.send('answer', { ...atOnce, taskId: task.id }).catch(() => undefined);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`stuck: ${JSON.stringify(await handle.query('task'))}`);
}

test('F10 A05 A06 random tasks all end once, with gapless logs, and every history replays', async () => {
  const ids: string[] = [];
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(steps, outside), { minLength: 4, maxLength: 4 }), async (runs) => {
      const tasks = await Promise.all(runs.map(([plan, acts]) => drive(plan, acts)));
      for (const task of tasks) {
        ids.push(task.id);
        const events = await stack.journal.readEvents(task.id, 0, 1_000);
        expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
        const ends = events.filter(
          ({ event }) => 'statusUpdate' in event && isTerminal(event.statusUpdate.status.state),
        );
        expect(ends).toHaveLength(1);
        expect(ends[0]).toBe(events.at(-1));
      }
    }),
    { numRuns: 15, endOnFailure: true },
  );
  const failures = await replayAll(stack, ids);
  expect(failures).toEqual([]);
  expect(ids.length).toBeGreaterThanOrEqual(60);
}, 180_000);

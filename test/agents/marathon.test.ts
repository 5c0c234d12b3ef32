import { expect, test } from 'vitest';
import * as activities from '../../agents/marathon.activities.js';
import marathon from '../../agents/marathon.js';
import { startAgent, testAgent } from '../../testing/index.js';

test('E09 marathon takes its steps across checkpoints and reports the right count', async () => {
  const { task, text, events } = await testAgent(marathon, { message: 'steps=20 every=50ms', activities });
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  // The number of primes below 200,000.
  expect(text).toBe('There are 17984 primes below 200000.');
  expect(task.artifacts?.[0]?.parts[1]).toEqual({ data: { primes: 17984, below: 200000, steps: 20 } });
  const reports = events.flatMap((event) =>
    'statusUpdate' in event && event.statusUpdate.metadata?.progress
      ? [event.statusUpdate.metadata.progress]
      : [],
  );
  expect(reports).toHaveLength(20);
  expect(reports.at(-1)).toBe(1);
});

test('E09 a job of hours takes no time to test, and its reports are a hundred at most', async () => {
  const began = performance.now();
  const t = startAgent(marathon, { message: 'Start', activities: { countPrimes: async () => 1 } });
  const started = t.now();
  const task = await t.done();
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  expect(t.now() - started).toBe(479 * 30_000);
  expect(performance.now() - began).toBeLessThan(10_000);
  expect(task.history?.length).toBeLessThanOrEqual(101);
  expect(task.artifacts?.[0]?.parts[1]).toEqual({ data: { primes: 480, below: 4_800_000, steps: 480 } });
});

test('E09 nothing is counted twice or left out where checkpoints begin no fresh run', async () => {
  const message = 'steps=7 every=1h';
  const restarting = await testAgent(marathon, { message, activities });
  const going = await testAgent(marathon, { message, activities, restartAtCheckpoints: false });
  expect(restarting.text).toBe(going.text);
  expect(restarting.task.artifacts?.[0]?.parts).toEqual(going.task.artifacts?.[0]?.parts);
});

test('A16 X39 cancel in the middle of a step aborts the activity', async () => {
  let aborted = false;
  const t = startAgent(marathon, {
    message: 'steps=5 every=1s',
    activities: {
      countPrimes: ({ from }: { from: number }, { signal }: { signal: AbortSignal }) =>
        from < 20_000
          ? Promise.resolve(10)
          : new Promise<number>((_, reject) => {
              signal.addEventListener('abort', () => {
                aborted = true;
                reject(signal.reason as Error);
              });
              setTimeout(() => t.cancel(), 5);
            }),
    },
  });
  const task = await t.done();
  expect(task.status.state).toBe('TASK_STATE_CANCELED');
  expect(aborted).toBe(true);
  expect(task.artifacts).toBeUndefined();
});

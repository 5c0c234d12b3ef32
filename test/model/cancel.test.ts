import { CancelledFailure } from '@temporalio/common';
import { expect, test, vi } from 'vitest';
import { modelsAt, openTurns, serve, words } from './turns.js';

test('E02 A16 X39 a cancel reaches the provider on the wire within a second', async () => {
  const server = await serve({ tokens: words(1_000), delayMillis: 20 });
  const turns = await openTurns(modelsAt(server));
  const { result, environment } = turns.attempt();
  await vi.waitFor(async () => expect(await turns.updates()).not.toEqual([]));
  const began = performance.now();
  environment.cancel();
  await expect(result).rejects.toBeInstanceOf(CancelledFailure);
  await vi.waitFor(() => expect(server.requests[0]?.aborted).toBe(true));
  expect(performance.now() - began).toBeLessThan(1_000);
  const after = await turns.updates();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await turns.updates()).toEqual(after);
});

test('E02 X39 a cancel during a call that never answers takes effect at once', async () => {
  const server = await serve({ silent: true });
  const turns = await openTurns(modelsAt(server));
  const { result, environment } = turns.attempt();
  await vi.waitFor(() => expect(server.requests).toHaveLength(1));
  environment.cancel();
  await expect(result).rejects.toBeInstanceOf(CancelledFailure);
  await vi.waitFor(() => expect(server.requests[0]?.aborted).toBe(true));
});

test('X39 heartbeats go on while the model says nothing', async () => {
  const server = await serve({ silent: true });
  const turns = await openTurns(modelsAt(server), { heartbeatMillis: 20 });
  const { result, environment } = turns.attempt();
  let beats = 0;
  environment.on('heartbeat', () => (beats += 1));
  await vi.waitFor(() => expect(beats).toBeGreaterThan(5));
  environment.cancel();
  await expect(result).rejects.toBeInstanceOf(CancelledFailure);
  const last = beats;
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(beats).toBe(last);
});

test('A06 A16 the model is stopped on the wire when its task has ended', async () => {
  const server = await serve({ tokens: words(1_000), delayMillis: 10 });
  const turns = await openTurns(modelsAt(server));
  const { result } = turns.attempt();
  await vi.waitFor(async () => expect(await turns.updates()).not.toEqual([]));
  await turns.journal.closeTask(turns.call.taskId, 'TASK_STATE_CANCELED');
  const events = await turns.journal.readEvents(turns.call.taskId, 0, 10_000);
  await expect(result).rejects.toMatchObject({ type: 'TaskOver', nonRetryable: true });
  await vi.waitFor(() => expect(server.requests[0]?.aborted).toBe(true));
  expect(await turns.journal.readEvents(turns.call.taskId, 0, 10_000)).toEqual(events);
});

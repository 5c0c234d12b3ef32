import { expect, test } from 'vitest';
import storyteller from '../../agents/storyteller.js';
import type { StreamResponse } from '../../core/task.js';
import { fold } from '../../core/fold.js';
import type { Task } from '../../core/task.js';
import { testAgent } from '../../testing/index.js';

function updates(events: StreamResponse[], artifactId: string) {
  return events.flatMap((event) =>
    'artifactUpdate' in event && event.artifactUpdate.artifact.artifactId === artifactId
      ? [event.artifactUpdate]
      : [],
  );
}

test('B03 the story streams in fragments and is closed with its whole text in one part', async () => {
  const { events, task, text } = await testAgent(storyteller, 'a lighthouse');
  const answer = task.artifacts?.at(-1);
  const own = updates(events, answer?.artifactId ?? '');
  const fragments = own.slice(0, -1);
  expect(fragments.length).toBeGreaterThan(10);
  expect(fragments.map(({ append }) => append)).toEqual([false, ...fragments.slice(1).map(() => true)]);
  expect(fragments.every(({ lastChunk }) => lastChunk === false)).toBe(true);
  const streamed = fragments.flatMap(({ artifact }) =>
    artifact.parts.map((part) => 'text' in part && part.text),
  );
  expect(own.at(-1)).toMatchObject({ append: false, lastChunk: true, artifact: { parts: [{ text }] } });
  expect(streamed.join('')).toBe(text);
  expect(text).toMatch(/^Once there was an? .+ one thing only: a lighthouse\./);
});

test('B04 text before the tool call is closed as intermediate-thinking before the answer begins', async () => {
  const { events, task } = await testAgent(storyteller, 'a lighthouse');
  const [thinking, answer] = task.artifacts ?? [];
  expect(task.artifacts).toHaveLength(2);
  expect(thinking?.metadata).toEqual({ type: 'intermediate-thinking' });
  expect(thinking?.parts).toEqual([
    { text: expect.stringMatching(/^A story about “a lighthouse”/) as string },
  ]);
  expect(answer?.metadata).toBeUndefined();
  const ids = events.flatMap((event) => ('artifactUpdate' in event ? [event.artifactUpdate] : []));
  const closed = ids.findIndex(({ lastChunk }) => lastChunk);
  expect(ids.slice(0, closed + 1).every(({ artifact }) => artifact.artifactId === thinking?.artifactId)).toBe(
    true,
  );
  expect(ids.slice(closed + 1).every(({ artifact }) => artifact.artifactId === answer?.artifactId)).toBe(
    true,
  );
});

test('A17 usage of both model turns is summed on the task and on the last status', async () => {
  const { events, task } = await testAgent(storyteller, 'a lighthouse');
  const usage = task.metadata?.$usage as Record<string, number>;
  expect(usage).toMatchObject({ model: 'scripted-demo', cachedInputTokens: 0, cacheCreationInputTokens: 0 });
  const words = (task.artifacts ?? []).flatMap(({ parts }) =>
    parts.flatMap((part) => ('text' in part ? part.text.split(/\s+/) : [])),
  );
  expect(usage.outputTokens).toBe(words.length);
  expect(usage.totalTokens).toBe((usage.inputTokens ?? 0) + words.length);
  expect(events.at(-1)).toMatchObject({
    statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' }, metadata: { $usage: usage } },
  });
});

test('B05 COMPLETED carries no message, and folding the events gives the task', async () => {
  const { events, task } = await testAgent(storyteller, 'a lighthouse');
  const last = events.at(-1);
  expect(last && 'statusUpdate' in last && last.statusUpdate.status.message).toBeUndefined();
  const folded = events.reduce<Task>(fold, task);
  expect(folded.artifacts).toEqual(task.artifacts);
  expect(folded.status).toEqual(task.status);
});

test('the same request tells the same story', async () => {
  const [one, two] = [await testAgent(storyteller, 'a fox'), await testAgent(storyteller, 'a fox')];
  expect(one.events).toEqual(two.events);
});

import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { FragmentWriter } from '../../activities/model/fragments.js';
import { createModels } from '../../activities/model/models.js';
import { openTurns, readerText, words } from './turns.js';

test('B03 words that come while a write is in flight are joined, none lost and none waiting for a timer', async () => {
  const turns = await openTurns(createModels());
  let inFlight = 0;
  let most = 0;
  const slow = {
    async appendDeltas(...args: Parameters<typeof turns.journal.appendDeltas>) {
      most = Math.max(most, ++inFlight);
      await delay(20);
      inFlight -= 1;
      return turns.journal.appendDeltas(...args);
    },
  };
  const writer = new FragmentWriter(slow, turns.call, 1, () => expect.unreachable());
  const all = words(50);
  for (const word of all) {
    writer.write(word);
    await delay(2);
  }
  await writer.done();
  const updates = await turns.updates();
  expect(most).toBe(1);
  expect(updates.length).toBeLessThan(all.length / 2);
  expect(updates.length).toBeGreaterThan(2);
  expect(readerText(updates)).toBe(all.join(''));
});

test('a journal that fails stops the writer, which then says why', async () => {
  const turns = await openTurns(createModels());
  let stopped = 0;
  const broken = { appendDeltas: () => Promise.reject(new Error('disk full')) };
  const writer = new FragmentWriter(broken, turns.call, 1, () => (stopped += 1));
  writer.write('one');
  await expect(writer.done()).rejects.toThrow('disk full');
  writer.write('two');
  await expect(writer.done()).rejects.toThrow('disk full');
  expect(stopped).toBe(1);
});

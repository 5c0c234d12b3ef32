import { expect, test } from 'vitest';
import { failure, modelsAt, openTurns, readerText, serve, words } from './turns.js';

test('B11 X39 a stream that breaks at the 40th token is tried again, and the reader’s text is right once', async () => {
  const tokens = words(60);
  const server = await serve({ tokens, after: { tokens: 40, then: 'reset' }, delayMillis: 1 }, { tokens });
  const turns = await openTurns(modelsAt(server));
  const broken = await failure(turns.attempt());
  expect(broken).toMatchObject({ type: 'ModelUnavailable', nonRetryable: false });
  const before = await turns.updates();
  // Something had been shown, or there would be nothing to replace.
  expect(readerText(before)).toMatch(/^w0 w1 /);

  expect((await turns.attempt({ number: 2 }).result).text).toBe(tokens.join(''));
  const updates = await turns.updates();
  expect(updates[before.length]).toMatchObject({ append: false });
  expect(updates.slice(before.length + 1).every(({ append }) => append === true)).toBe(true);
  expect(readerText(updates)).toBe(tokens.join(''));
  expect((await turns.artifact())?.parts).toEqual([{ text: tokens.join('') }]);
});

test('B11 a second attempt that has nothing to say takes back what the first had shown', async () => {
  const server = await serve(
    { tokens: words(5), after: { tokens: 3, then: 'end' } },
    { toolCalls: [{ name: 'look', arguments: '{}' }] },
  );
  const tools = [{ name: 'look', description: 'Looks', parameters: { type: 'object' } }];
  const turns = await openTurns(modelsAt(server));
  expect(await failure(turns.attempt({ tools }))).toMatchObject({
    type: 'ModelUnavailable',
    nonRetryable: false,
  });
  expect(readerText(await turns.updates())).toBe('w0 w1 w2 ');
  const result = await turns.attempt({ tools, number: 2 }).result;
  expect(result).toMatchObject({ text: '', streamed: true, toolCalls: [{ name: 'look' }] });
  expect(readerText(await turns.updates())).toBe('');
});

test('B11 nothing is taken back where nothing was shown', async () => {
  const server = await serve({ status: 500 }, { toolCalls: [{ name: 'look', arguments: '{}' }] });
  const tools = [{ name: 'look', description: 'Looks', parameters: { type: 'object' } }];
  const turns = await openTurns(modelsAt(server));
  await failure(turns.attempt({ tools }));
  expect(await turns.attempt({ tools, number: 2 }).result).toMatchObject({ streamed: false });
  expect(await turns.updates()).toEqual([]);
});

test('F03 an answer whose report was lost is not asked of the model again', async () => {
  const server = await serve({ tokens: ['Paid', ' once'] });
  const turns = await openTurns(modelsAt(server));
  const first = await turns.attempt().result;
  expect(await turns.attempt({ number: 2 }).result).toEqual(first);
  expect(server.requests).toHaveLength(1);
  expect(readerText(await turns.updates())).toBe('Paid once');
  // Another activity on the same transcript is another turn.
  await turns.attempt({ number: 2, activityId: '9' }).result;
  expect(server.requests).toHaveLength(2);
});

import { expect, test, vi } from 'vitest';
import { modelsAt, openTurns, readerText, serve } from './turns.js';

test('E02 B03 tokens arrive as events while the model speaks: the first replaces, the rest append', async () => {
  let goOn = (): void => undefined;
  const until = new Promise<void>((resolve) => (goOn = resolve));
  const server = await serve({ tokens: ['Hello', ', ', 'wörld', ' 🎉'], pause: { tokens: 2, until } });
  const turns = await openTurns(modelsAt(server));
  const { result } = turns.attempt();
  // Before the model has finished, a reader of the journal has the beginning.
  await vi.waitFor(async () => expect(readerText(await turns.updates())).toBe('Hello, '));
  goOn();

  expect(await result).toMatchObject({
    text: 'Hello, wörld 🎉',
    toolCalls: [],
    finishReason: 'stop',
    nextPosition: 2,
    streamed: true,
  });
  const updates = await turns.updates();
  expect(updates.length).toBeGreaterThanOrEqual(2);
  expect(updates.map(({ append }) => append)).toEqual([false, ...updates.slice(1).map(() => true)]);
  expect(updates.every(({ lastChunk }) => lastChunk !== true)).toBe(true);
  expect(readerText(updates)).toBe('Hello, wörld 🎉');
});

test('E02 a stream that is cut at odd bytes is read right', async () => {
  const tokens = ['Grüße ', 'aus ', 'Łódź ', '👩‍🚀', '!'];
  const server = await serve({ tokens, bytesAtATime: 3 });
  const turns = await openTurns(modelsAt(server));
  expect((await turns.attempt().result).text).toBe(tokens.join(''));
  expect(readerText(await turns.updates())).toBe(tokens.join(''));
});

test('E02 tool calls that come in pieces are returned, not run, and their results go back to the model', async () => {
  const server = await serve(
    {
      tokens: ['Let me look.'],
      toolCalls: [
        { name: 'weather', arguments: '{"city":"Paris","days":[1,2]}' },
        { name: 'weather', arguments: '{"city":"Rome"}' },
      ],
    },
    { tokens: ['Both', ' warm.'] },
  );
  const turns = await openTurns(modelsAt(server));
  const tools = [{ name: 'weather', description: 'The weather', parameters: { type: 'object' } }];
  const first = await turns.attempt({ tools }).result;
  expect(first).toMatchObject({
    text: 'Let me look.',
    finishReason: 'tool-calls',
    toolCalls: [
      { id: 'call_0', name: 'weather', input: { city: 'Paris', days: [1, 2] } },
      { id: 'call_1', name: 'weather', input: { city: 'Rome' } },
    ],
  });
  expect(server.requests[0]?.body.tools).toMatchObject([
    { function: { name: 'weather', description: 'The weather', parameters: { type: 'object' } } },
  ]);

  const second = await turns.attempt({
    tools,
    position: first.nextPosition,
    toolResults: [
      { id: 'call_0', name: 'weather', output: { parts: ['sun', 21] } },
      { id: 'call_1', name: 'weather', output: 'The station is silent', failed: true },
    ],
    artifact: { artifactId: 'art.2', name: 'answer', streamKey: 'g1.1' },
    activityId: '6',
  }).result;
  expect(second).toMatchObject({ text: 'Both warm.', nextPosition: 4 });
  expect(server.requests[1]?.body.messages).toMatchObject([
    { role: 'user', content: 'Say something' },
    {
      role: 'assistant',
      content: 'Let me look.',
      tool_calls: [
        { id: 'call_0', function: { name: 'weather', arguments: '{"city":"Paris","days":[1,2]}' } },
        { id: 'call_1', function: { name: 'weather', arguments: '{"city":"Rome"}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_0', content: '{"parts":["sun",21]}' },
    { role: 'tool', tool_call_id: 'call_1', content: 'The station is silent' },
  ]);
});

test('A17 usage is the provider’s, cached tokens included, and total is input plus output', async () => {
  const server = await serve({
    tokens: ['a', 'b'],
    usage: { input: 120, output: 30, cached: 100 },
  });
  const turns = await openTurns(modelsAt(server));
  expect((await turns.attempt().result).usage).toEqual({
    model: 'test-model',
    inputTokens: 120,
    outputTokens: 30,
    cachedInputTokens: 100,
    cacheCreationInputTokens: 0,
    totalTokens: 150,
  });
});

test('A17 a provider that reports no usage counts as zero', async () => {
  const server = await serve({ tokens: ['a'] });
  const turns = await openTurns(modelsAt(server));
  expect((await turns.attempt().result).usage).toMatchObject({
    inputTokens: 0,
    outputTokens: 0,
    totalTokens: 0,
  });
});

test('B12 without chunks nothing is recorded and the text comes whole', async () => {
  const server = await serve({ tokens: ['whole', ' text'] });
  const turns = await openTurns(modelsAt(server), { streamArtifacts: false });
  expect(await turns.attempt().result).toMatchObject({ text: 'whole text', streamed: false });
  expect(await turns.attempt({ chunks: true, activityId: '6' }).result).toMatchObject({ streamed: true });
  const buffered = await openTurns(modelsAt(server));
  expect(await buffered.attempt({ chunks: false }).result).toMatchObject({ streamed: false });
  expect(await buffered.updates()).toEqual([]);
});

import { CancelledFailure } from '@temporalio/common';
import { expect, test, vi } from 'vitest';
import type { Model, ModelRequest, StreamPart } from '../../activities/model/model.js';
import { type Models, plainModel } from '../../activities/model/configured-model.js';
import { failure, modelsAt, openTurns, readerText, serve } from './turns.js';

/** A provider that streams these parts, whoever asks, and keeps what it was asked. */
function provider(...streams: ReadableStream<StreamPart>[]): { models: Models; requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  const model: Model = {
    specificationVersion: 'v3',
    provider: 'test',
    modelId: 'test-model',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('only streams')),
    doStream: (request) => {
      const stream = streams[requests.push(request) - 1];
      return stream === undefined
        ? Promise.reject(new Error('asked too often'))
        : Promise.resolve({ stream });
    },
  };
  const configured = plainModel(model.modelId, model);
  return { models: { names: [model.modelId], get: () => configured }, requests };
}

const STOP: StreamPart = {
  type: 'finish',
  finishReason: { unified: 'stop', raw: 'end_turn' },
  usage: {
    inputTokens: { total: 9, noCache: 2, cacheRead: 4, cacheWrite: 3 },
    outputTokens: { total: 5, text: 5, reasoning: 0 },
  },
};

test('E02 A17 thoughts are not shown; they go back to the model with the provider’s marks, its instructions and its tools', async () => {
  const signed = (signature: string) => ({ maker: { signature } });
  const { models, requests } = provider(
    ReadableStream.from<StreamPart>([
      { type: 'stream-start', warnings: [] },
      { type: 'reasoning-start', id: '0' },
      { type: 'reasoning-delta', id: '0', delta: 'Rome is ' },
      { type: 'reasoning-delta', id: '0', delta: 'warm.' },
      { type: 'reasoning-end', id: '0', providerMetadata: signed('r') },
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', delta: 'Let me ' },
      { type: 'text-delta', id: '0', delta: 'look.' },
      { type: 'text-end', id: '0' },
      { type: 'text-start', id: '1' },
      { type: 'text-end', id: '1' },
      {
        type: 'tool-call',
        toolCallId: 'c1',
        toolName: 'look',
        input: '{"__proto__":1}',
        providerMetadata: signed('t'),
      },
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', delta: ' Soon.' },
      { type: 'text-end', id: '0' },
      STOP,
    ]),
    ReadableStream.from<StreamPart>([STOP]),
  );
  const turns = await openTurns(models);
  const tools = [{ name: 'look', description: 'Looks', parameters: { type: 'object' } }];
  const input = JSON.parse('{"__proto__":1}') as object;
  const first = await turns.attempt({ tools, system: 'Be brief.' }).result;
  expect(first).toMatchObject({
    text: 'Let me look. Soon.',
    finishReason: 'stop',
    usage: { inputTokens: 9, cachedInputTokens: 4, cacheCreationInputTokens: 3, totalTokens: 14 },
  });
  expect(first.toolCalls).toEqual([{ id: 'c1', name: 'look', input }]);
  expect(readerText(await turns.updates())).toBe('Let me look. Soon.');

  const toolResults = [{ id: 'c1', name: 'look', output: 'sun' }];
  await turns.attempt({ position: first.nextPosition, toolResults, activityId: '6' }).result;
  expect(requests[1]?.tools).toEqual(requests[0]?.tools);
  expect(requests[1]?.prompt).toEqual([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'Say something' }] },
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Rome is warm.', providerOptions: signed('r') },
        { type: 'text', text: 'Let me look.' },
        { type: 'tool-call', toolCallId: 'c1', toolName: 'look', input, providerOptions: signed('t') },
        { type: 'text', text: ' Soon.' },
      ],
    },
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: 'c1', toolName: 'look', output: { type: 'text', value: 'sun' } },
      ],
    },
  ]);
});

test('E02 an answer without content is no message to the model', async () => {
  const { models, requests } = provider(
    ReadableStream.from<StreamPart>([STOP]),
    ReadableStream.from<StreamPart>([STOP]),
  );
  const turns = await openTurns(models);
  const { nextPosition } = await turns.attempt({ prompt: [{ text: '' }, { text: 'Well?' }] }).result;
  await turns.attempt({ position: nextPosition, activityId: '6' }).result;
  expect(requests[1]?.prompt.slice(0, 1)).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'Well?' }] },
  ]);
  expect(requests[1]?.prompt.some(({ role }) => role === 'assistant')).toBe(false);
});

test('E02 A16 X39 a cancel ends the turn and the stream of a provider that does not heed it', async () => {
  const cancelled = vi.fn();
  const { models } = provider(
    new ReadableStream<StreamPart>({
      start: (controller) => controller.enqueue({ type: 'text-delta', id: '0', delta: 'Well' }),
      cancel: cancelled,
    }),
  );
  const turns = await openTurns(models);
  const { result, environment } = turns.attempt();
  await vi.waitFor(async () => expect(readerText(await turns.updates())).toBe('Well'));
  expect(cancelled).not.toHaveBeenCalled();
  environment.cancel();
  await expect(result).rejects.toBeInstanceOf(CancelledFailure);
  expect(cancelled).toHaveBeenCalledOnce();
});

test('E02 an error in the stream ends the turn, and the request', async () => {
  const cancelled = vi.fn();
  const { models } = provider(
    new ReadableStream<StreamPart>({
      start: (controller) => controller.enqueue({ type: 'error', error: { message: 'overloaded' } }),
      cancel: cancelled,
    }),
  );
  const turns = await openTurns(models);
  expect(await failure(turns.attempt())).toMatchObject({ type: 'ModelUnavailable', nonRetryable: false });
  expect(cancelled).toHaveBeenCalledOnce();
});

test.each([
  ['', {}],
  ['[1]', [1]],
  ['null', null],
])('E02 a tool that is called with the input “%s”', async (input, expected) => {
  const { models } = provider(
    ReadableStream.from<StreamPart>([{ type: 'tool-call', toolCallId: 'c', toolName: 'look', input }, STOP]),
  );
  const turns = await openTurns(models);
  expect((await turns.attempt().result).toolCalls).toEqual([{ id: 'c', name: 'look', input: expected }]);
});

test('E02 with tools the request says that the model may choose; without, nothing about tools', async () => {
  const server = await serve({ tokens: ['ok'] });
  const turns = await openTurns(modelsAt(server));
  const tools = [{ name: 'look', description: 'Looks', parameters: { type: 'object' } }];
  await turns.attempt({ tools }).result;
  await turns.attempt({ tools: [], activityId: '6' }).result;
  expect(server.requests[0]?.body.tool_choice).toBe('auto');
  expect(server.requests[1]?.body).not.toHaveProperty('tools');
  expect(server.requests[1]?.body).not.toHaveProperty('tool_choice');
});

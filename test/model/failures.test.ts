import { expect, test, vi } from 'vitest';
import type { ModelReply } from '../support/model-server.js';
import { API_KEY, failure, modelsAt, openTurns, serve, words } from './turns.js';

test('E02 a model that falls silent is given up and tried again; keep-alive comments are no silence', async () => {
  const server = await serve({ tokens: words(3), after: { tokens: 2, then: 'stall' } }, { silent: true });
  const turns = await openTurns(modelsAt(server, { stallMillis: 150 }));
  const stalled = await failure(turns.attempt());
  expect(stalled).toMatchObject({ type: 'ModelUnavailable', nonRetryable: false });
  expect(stalled.message).toContain('fell silent');
  await vi.waitFor(() => expect(server.requests[0]?.aborted).toBe(true));
  expect((await failure(turns.attempt({ number: 2 }))).message).toContain('fell silent');

  const slow = await serve({ tokens: words(3), delayMillis: 500, keepAliveMillis: 50 });
  const patient = await openTurns(modelsAt(slow, { stallMillis: 350 }));
  expect((await patient.attempt().result).text).toBe('w0 w1 w2 ');
});

test.each<[name: string, reply: ModelReply, expected: object]>([
  ['500', { status: 500 }, { type: 'ModelUnavailable', nonRetryable: false }],
  [
    '503 with Retry-After',
    { status: 503, headers: { 'retry-after': '3' } },
    { type: 'ModelUnavailable', nonRetryable: false, nextRetryDelay: 3_000 },
  ],
  [
    '429 with Retry-After',
    { status: 429, headers: { 'retry-after': '7' } },
    { type: 'ModelRateLimited', nonRetryable: false, nextRetryDelay: 7_000 },
  ],
  [
    '429 without',
    { status: 429 },
    { type: 'ModelRateLimited', nonRetryable: false, nextRetryDelay: undefined },
  ],
  ['400', { status: 400 }, { type: 'ModelRefused', nonRetryable: true }],
  ['401', { status: 401 }, { type: 'ModelUnauthorized', nonRetryable: true }],
  ['402', { status: 402 }, { type: 'ModelQuota', nonRetryable: true }],
  ['403', { status: 403 }, { type: 'ModelUnauthorized', nonRetryable: true }],
  ['404', { status: 404 }, { type: 'ModelRefused', nonRetryable: true }],
  [
    'a stream without a word or a finish',
    { after: { tokens: 0, then: 'end' }, tokens: ['x'] },
    { type: 'ModelUnavailable', nonRetryable: false },
  ],
  [
    'a tool call that is not JSON',
    { toolCalls: [{ name: 'look', arguments: '{"a": ' }] },
    { type: 'ModelOutput', nonRetryable: false },
  ],
  [
    'a tool call cut off by the output limit',
    { toolCalls: [{ name: 'look', arguments: '{"a": ' }], cutOff: true },
    { type: 'ModelOutput', nonRetryable: true },
  ],
])('E02 %s', async (_name, reply, expected) => {
  const server = await serve(reply);
  const turns = await openTurns(modelsAt(server));
  expect(
    await failure(turns.attempt({ tools: [{ name: 'look', description: 'Looks', parameters: {} }] })),
  ).toMatchObject(expected);
  // Retries are Temporal's alone.
  expect(server.requests).toHaveLength(1);
});

test('C09 E02 a failure names neither key, address nor what was said, but the provider’s own error code', async () => {
  const server = await serve({
    status: 400,
    body: {
      error: {
        message: `Bad key ${API_KEY} for “my secret prompt”`,
        code: 'context_length_exceeded',
        type: 'x',
      },
    },
  });
  const turns = await openTurns(modelsAt(server));
  const error = await failure(turns.attempt({ prompt: [{ text: 'my secret prompt' }] }));
  expect(error.details).toEqual([{ safeMessage: error.message }]);
  expect(error.message).toBe(
    "The model 'test-model' answered HTTP 400 (context_length_exceeded): the conversation is too long for it.",
  );
  expect(error.cause).toBeUndefined();
  const shown = JSON.stringify(Object.entries(error)) + String(error.stack);
  for (const secret of [API_KEY, 'secret prompt', server.baseURL]) expect(shown).not.toContain(secret);
});

test('E02 an endpoint that cannot be reached is tried again', async () => {
  const server = await serve({ tokens: ['x'] });
  await server.close();
  const turns = await openTurns(modelsAt(server));
  const error = await failure(turns.attempt());
  expect(error).toMatchObject({ type: 'ModelUnavailable', nonRetryable: false });
  expect(error.message).not.toContain(server.baseURL);
});

test('E02 a model that is not configured is no reason to try again', async () => {
  const server = await serve({ tokens: ['x'] });
  const turns = await openTurns(modelsAt(server));
  expect(await failure(turns.attempt({ model: 'gpt-17' }))).toMatchObject({
    type: 'ModelUnknown',
    nonRetryable: true,
  });
});

test('E02 a file that the model does not take is refused, not tried again', async () => {
  const server = await serve({ tokens: ['x'] });
  const turns = await openTurns(modelsAt(server));
  const error = await failure(turns.attempt({ prompt: [{ raw: 'AAAA', mediaType: 'application/zip' }] }));
  expect(error).toMatchObject({ type: 'ModelRefused', nonRetryable: true });
  expect(server.requests).toEqual([]);
});

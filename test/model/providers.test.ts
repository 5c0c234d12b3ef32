import { CancelledFailure } from '@temporalio/common';
import { describe, expect, test, vi } from 'vitest';
import { modelsOf, serveAs, SPEAKERS } from './speakers.js';
import { API_KEY, failure, openTurns, readerText, words } from './turns.js';

const WEATHER = [
  {
    name: 'weather',
    description: 'The weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
  },
];
const SOON = new Date(Date.now() + 3_600_000).toUTCString();

describe.each(SPEAKERS)('$provider', (speaker) => {
  test('E02 the request has the key, the address, the instructions and the settings', async () => {
    const server = await serveAs(speaker, { tokens: ['ok'] });
    const turns = await openTurns(
      modelsOf(speaker, server, { temperature: 0.5, maxOutputTokens: 50, headers: { 'X-Team': 'search' } }),
    );
    await turns.attempt({ system: 'Be brief.', maxOutputTokens: 9 }).result;
    const [request] = server.requests;
    expect(request?.path).toBe(speaker.path);
    expect(request?.headers).toMatchObject({
      [speaker.keyHeader.name]: speaker.keyHeader.value,
      'x-team': 'search',
    });
    expect(request?.body).toMatchObject({ model: 'test-model', stream: true, temperature: 0.5 });
    expect(Object.values(request?.body ?? {})).toContain(9);
    const body = JSON.stringify(request?.body);
    for (const said of ['Be brief.', 'Say something']) expect(body).toContain(said);
    expect(body).not.toContain(API_KEY);
  });

  test('E02 B03 tokens arrive while the model speaks, also when bytes come in odd pieces', async () => {
    const tokens = ['Grüße ', 'aus ', 'Łódź ', '👩‍🚀', '!'];
    let goOn = (): void => undefined;
    const until = new Promise<void>((resolve) => (goOn = resolve));
    const server = await serveAs(speaker, { tokens, bytesAtATime: 7, pause: { tokens: 3, until } });
    const turns = await openTurns(modelsOf(speaker, server));
    const { result } = turns.attempt();
    await vi.waitFor(async () => expect(readerText(await turns.updates())).toBe('Grüße aus Łódź '));
    goOn();
    expect(await result).toMatchObject({
      text: tokens.join(''),
      toolCalls: [],
      finishReason: 'stop',
      streamed: true,
    });
    expect(readerText(await turns.updates())).toBe(tokens.join(''));
  });

  test('E02 several tool calls of one answer, and thoughts, go back with their results in order', async () => {
    const server = await serveAs(
      speaker,
      {
        thoughts: { text: 'Two cities.', mark: 'signed-by-the-provider' },
        tokens: ['Let me ', 'look.'],
        toolCalls: [
          { name: 'weather', arguments: '{"city":"Łódź"}' },
          { name: 'weather', arguments: '{"city":"Rome"}' },
        ],
        bytesAtATime: 11,
      },
      { tokens: ['Both warm.'] },
    );
    const turns = await openTurns(modelsOf(speaker, server, { options: reasoningOf(speaker.provider) }));
    const first = await turns.attempt({ tools: WEATHER, system: 'Be kind.' }).result;
    expect(first).toMatchObject({
      text: 'Let me look.',
      finishReason: 'tool-calls',
      toolCalls: [
        { id: 'call_0', name: 'weather', input: { city: 'Łódź' } },
        { id: 'call_1', name: 'weather', input: { city: 'Rome' } },
      ],
    });
    // Thoughts are the model's own.
    expect(readerText(await turns.updates())).toBe('Let me look.');

    const second = await turns.attempt({
      position: first.nextPosition,
      toolResults: [
        { id: 'call_0', name: 'weather', output: 'rain' },
        { id: 'call_1', name: 'weather', output: 'sun' },
      ],
      artifact: { artifactId: 'art.2', name: 'answer', streamKey: 'g1.1' },
      activityId: '6',
    }).result;
    expect(second.text).toBe('Both warm.');
    const body = server.requests[1]?.body ?? {};
    expect(speaker.toolResults(body)).toEqual(['rain', 'sun']);
    expect(body['tools']).toEqual(server.requests[0]?.body['tools']);
    for (const said of ['Be kind.', 'Let me look.', 'Two cities.'])
      expect(JSON.stringify(body)).toContain(said);
    if (speaker.provider !== 'openai-compatible') {
      expect(JSON.stringify(body)).toContain('signed-by-the-provider');
    }
  });

  test('A17 E02 usage is the provider’s, with what its cache gave and took', async () => {
    const usage = {
      input: 120,
      output: 30,
      cached: 100,
      ...(speaker.countsCacheWrites && { cacheCreation: 15 }),
    };
    const server = await serveAs(speaker, { tokens: ['a', 'b'], usage });
    const turns = await openTurns(modelsOf(speaker, server));
    expect((await turns.attempt().result).usage).toEqual({
      model: 'test-model',
      inputTokens: 120,
      outputTokens: 30,
      cachedInputTokens: 100,
      cacheCreationInputTokens: speaker.countsCacheWrites ? 15 : 0,
      totalTokens: 150,
    });
  });

  test.each([
    [429, 'rate_limit_exceeded', 'ModelRateLimited', false],
    [429, 'insufficient_quota', 'ModelQuota', true],
    [401, 'authentication_error', 'ModelUnauthorized', true],
    [403, 'permission_error', 'ModelUnauthorized', true],
    [400, 'invalid_request_error', 'ModelRefused', true],
    [400, 'context_length_exceeded', 'ModelContextLength', true],
    [413, 'request_too_large', 'ModelContextLength', true],
    [404, 'not_found_error', 'ModelRefused', true],
    [500, 'api_error', 'ModelUnavailable', false],
    [529, 'overloaded_error', 'ModelUnavailable', false],
  ])('E02 C09 HTTP %i (%s) is %s', async (status, code, type, nonRetryable) => {
    const body = speaker.error(code, `Bad ${API_KEY} for “my secret prompt”`);
    const server = await serveAs(speaker, { status, body, headers: { 'retry-after': SOON } });
    const turns = await openTurns(modelsOf(speaker, server));
    const error = await failure(turns.attempt({ prompt: [{ text: 'my secret prompt' }] }));
    expect(error).toMatchObject({ type, nonRetryable });
    expect(error.message).toContain(`HTTP ${status} (${code})`);
    expect(error.nextRetryDelay !== undefined).toBe(!nonRetryable);
    const shown = JSON.stringify(Object.entries(error)) + String(error.stack);
    for (const secret of [API_KEY, 'secret prompt', server.baseURL]) expect(shown).not.toContain(secret);
    // Retries are Temporal's alone.
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    ['overloaded_error', 'ModelUnavailable', false],
    ['rate_limit_error', 'ModelRateLimited', false],
    ['invalid_request_error', 'ModelRefused', true],
    ['context_length_exceeded', 'ModelContextLength', true],
    ['surprise', 'ModelUnavailable', false],
  ])('E02 an error in the middle of the stream: %s is %s', async (code, type, nonRetryable) => {
    const fault = { code, message: `no more for ${API_KEY}` };
    const server = await serveAs(speaker, { tokens: words(5), after: { tokens: 3, then: fault } });
    const turns = await openTurns(modelsOf(speaker, server));
    const error = await failure(turns.attempt());
    expect(error).toMatchObject({ type, nonRetryable });
    expect(JSON.stringify(Object.entries(error))).not.toContain(API_KEY);
  });

  test('E02 an error as the first word of the stream', async () => {
    const fault = { code: 'overloaded_error', message: 'Overloaded' };
    const server = await serveAs(speaker, { tokens: words(1), after: { tokens: 0, then: fault } });
    const turns = await openTurns(modelsOf(speaker, server));
    expect(await failure(turns.attempt())).toMatchObject({ type: 'ModelUnavailable', nonRetryable: false });
  });

  test.each(['reset', 'end'] as const)(
    'B11 X39 a stream that breaks (%s) is tried again, and the first fragment replaces what was shown',
    async (then) => {
      const tokens = words(60);
      const server = await serveAs(
        speaker,
        { tokens, after: { tokens: 40, then }, delayMillis: 1 },
        { tokens },
      );
      const turns = await openTurns(modelsOf(speaker, server));
      expect(await failure(turns.attempt())).toMatchObject({ type: 'ModelUnavailable', nonRetryable: false });
      const before = await turns.updates();
      expect(readerText(before)).toMatch(/^w0 w1 /);
      expect((await turns.attempt({ number: 2 }).result).text).toBe(tokens.join(''));
      const updates = await turns.updates();
      expect(updates[before.length]).toMatchObject({ append: false });
      expect(readerText(updates)).toBe(tokens.join(''));
    },
  );

  test('E02 a model that falls silent in the middle is given up', async () => {
    const server = await serveAs(speaker, { tokens: words(3), after: { tokens: 2, then: 'stall' } });
    const turns = await openTurns(modelsOf(speaker, server, { stallMillis: 150 }));
    expect((await failure(turns.attempt())).message).toContain('fell silent');
    await vi.waitFor(() => expect(server.requests[0]?.aborted).toBe(true));
  });

  test('E02 A16 X39 a cancel reaches the provider on the wire within a second', async () => {
    const server = await serveAs(speaker, { tokens: words(1_000), delayMillis: 20 });
    const turns = await openTurns(modelsOf(speaker, server));
    const { result, environment } = turns.attempt();
    await vi.waitFor(async () => expect(await turns.updates()).not.toEqual([]));
    const began = performance.now();
    environment.cancel();
    await expect(result).rejects.toBeInstanceOf(CancelledFailure);
    await vi.waitFor(() => expect(server.requests[0]?.aborted).toBe(true));
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  test('E02 a tool call that the output limit cut off is no reason to ask the same again', async () => {
    const server = await serveAs(speaker, {
      toolCalls: [{ name: 'weather', arguments: '{"city": ' }],
      cutOff: true,
    });
    const turns = await openTurns(modelsOf(speaker, server));
    expect(await failure(turns.attempt({ tools: WEATHER }))).toMatchObject({
      type: 'ModelOutput',
      nonRetryable: true,
    });
  });

  test('E02 F07 a redirect is not followed: the key goes nowhere else', async () => {
    const elsewhere = await serveAs(speaker, { tokens: ['caught'] });
    const location = `${elsewhere.baseURL}${speaker.path.slice('/v1'.length)}`;
    const server = await serveAs(speaker, { status: 307, headers: { location } });
    const turns = await openTurns(modelsOf(speaker, server));
    const error = await failure(turns.attempt());
    expect(error).toMatchObject({ type: 'ModelRefused', nonRetryable: true });
    expect(error.message).toContain('HTTP 307');
    expect(elsewhere.requests).toEqual([]);
  });
});

/** Thoughts go back only where the model is said to think. */
function reasoningOf(provider: string): Record<string, boolean> {
  return provider === 'openai' ? { forceReasoning: true } : {};
}

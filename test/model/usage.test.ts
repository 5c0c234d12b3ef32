import { expect, test } from 'vitest';
import { modelsOf, serveAs, SPEAKERS } from './speakers.js';
import { failure, modelsAt, openTurns, serve } from './turns.js';

const tools = [{ name: 'look', description: 'Looks', parameters: { type: 'object' } }];
const unreadable = { toolCalls: [{ name: 'look', arguments: '{"a": ' }] };

test('A17 E02 what failed attempts used is paid for, so it counts: in the next one, and in the last failure', async () => {
  const server = await serve(
    { ...unreadable, usage: { input: 100, output: 10, cached: 50 } },
    { status: 500 },
    { ...unreadable, usage: { input: 100, output: 20 } },
    { tokens: ['Done'], usage: { input: 100, output: 3 } },
  );
  const turns = await openTurns(modelsAt(server));
  const used = (error: Awaited<ReturnType<typeof failure>>) => error.details?.[0] as object;
  expect(used(await failure(turns.attempt({ tools })))).toMatchObject({
    usage: { inputTokens: 100, outputTokens: 10, cachedInputTokens: 50, totalTokens: 110 },
  });
  // Nothing is known of this one; what was known before stays.
  expect(used(await failure(turns.attempt({ tools, number: 2 })))).toMatchObject({
    usage: { totalTokens: 110 },
  });
  expect(used(await failure(turns.attempt({ tools, number: 3 })))).toMatchObject({
    usage: { totalTokens: 230 },
  });
  const result = await turns.attempt({ tools, number: 4 }).result;
  expect(result.usage).toMatchObject({
    inputTokens: 300,
    outputTokens: 33,
    cachedInputTokens: 50,
    totalTokens: 333,
  });
  // The model is shown none of it.
  expect(server.requests.map(({ body }) => body.messages.length)).toEqual([1, 1, 1, 1]);
  // Another turn begins at zero.
  const artifact = { artifactId: 'art.2', name: 'answer', streamKey: 'g1.1' };
  const next = await turns.attempt({ position: 2, activityId: '6', artifact }).result;
  expect(next.usage.totalTokens).toBe(103);
});

test.each(SPEAKERS)(
  'E02 $provider: a rate limit says until when, by the headers that this provider has',
  async (speaker) => {
    const in90s = new Date(Date.now() + 90_000).toISOString();
    const headers: Record<string, string> =
      speaker.provider === 'anthropic'
        ? {
            'anthropic-ratelimit-requests-remaining': '10',
            'anthropic-ratelimit-requests-reset': new Date(Date.now() + 600_000).toISOString(),
            'anthropic-ratelimit-tokens-remaining': '0',
            'anthropic-ratelimit-tokens-reset': in90s,
          }
        : {
            'x-ratelimit-remaining-requests': '10',
            'x-ratelimit-reset-requests': '10m',
            'x-ratelimit-remaining-tokens': '0',
            'x-ratelimit-reset-tokens': '1m30s',
          };
    const server = await serveAs(speaker, { status: 429, headers });
    const turns = await openTurns(modelsOf(speaker, server));
    const error = await failure(turns.attempt());
    expect(error).toMatchObject({ type: 'ModelRateLimited', nonRetryable: false });
    const wait = error.nextRetryDelay as number;
    expect(wait).toBeGreaterThan(80_000);
    expect(wait).toBeLessThanOrEqual(90_000);
    const { resetsAt } = error.details?.[0] as { resetsAt: string };
    expect(Math.abs(Date.parse(resetsAt) - Date.parse(in90s))).toBeLessThan(5_000);
  },
);

import { expect, test } from 'vitest';
import { modelsOf, serveAs, SPEAKERS, type Speaker } from './speakers.js';
import { openTurns } from './turns.js';

const speaker = (provider: Speaker['provider']): Speaker =>
  SPEAKERS.find((one) => one.provider === provider) ?? expect.unreachable();
const EPHEMERAL = { type: 'ephemeral' };

test.each([
  [true as const, EPHEMERAL],
  ['1h' as const, { type: 'ephemeral', ttl: '1h' }],
])(
  'E02 Anthropic is asked to cache (%s) the instructions, and the conversation as it grows',
  async (cache, mark) => {
    const anthropic = speaker('anthropic');
    const server = await serveAs(anthropic, { tokens: ['ok'] });
    const turns = await openTurns(modelsOf(anthropic, server, { cache }));
    await turns.attempt({ system: 'Be brief.' }).result;
    expect(server.requests[0]?.body).toMatchObject({
      cache_control: mark,
      system: [{ type: 'text', text: 'Be brief.', cache_control: mark }],
    });
  },
);

test('E02 OpenAI finds the cache by the task', async () => {
  const openai = speaker('openai');
  const server = await serveAs(openai, { tokens: ['ok'] });
  const turns = await openTurns(modelsOf(openai, server, { cache: true }));
  await turns.attempt().result;
  expect(server.requests[0]?.body['prompt_cache_key']).toBe(turns.call.taskId);
});

test('E02 without the setting no cache is asked for, and OpenAI keeps nothing', async () => {
  for (const one of SPEAKERS) {
    const server = await serveAs(one, { tokens: ['ok'] });
    const turns = await openTurns(modelsOf(one, server));
    await turns.attempt({ system: 'Be brief.' }).result;
    const body = server.requests[0]?.body ?? {};
    expect(JSON.stringify(body)).not.toMatch(/cache_control|prompt_cache/);
    if (one.provider === 'openai') expect(body['store']).toBe(false);
  }
});

test('E02 a provider’s own options go to it as they are', async () => {
  const sent = { openai: 'reasoning', anthropic: 'thinking', 'openai-compatible': 'reasoning_effort' };
  const options = {
    openai: { reasoningEffort: 'low', forceReasoning: true },
    anthropic: { thinking: { type: 'enabled', budgetTokens: 2_000 } },
    'openai-compatible': { reasoningEffort: 'low' },
  };
  for (const one of SPEAKERS) {
    const server = await serveAs(one, { tokens: ['ok'] });
    const turns = await openTurns(modelsOf(one, server, { options: options[one.provider] }));
    await turns.attempt().result;
    expect(server.requests[0]?.body).toHaveProperty(sent[one.provider]);
  }
});

import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { strictForm } from '../../activities/model/output.js';
import type { OutputForm } from '../../core/generation.js';
import { modelsOf, serveAs, SPEAKERS } from './speakers.js';
import { failure, modelsAt, openTurns, serve } from './turns.js';

const CITY = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
  required: ['city', 'days'],
};
const output: OutputForm = { schema: CITY };
const CLOSED = { ...CITY, additionalProperties: false };

/** Where each provider takes the schema of an answer. */
const SCHEMA_IN_REQUEST = {
  'openai-compatible': {
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: CLOSED, strict: true } },
  },
  openai: { text: { format: { type: 'json_schema', name: 'answer', schema: CLOSED, strict: true } } },
  // A model that the SDK does not know is given a tool to answer with.
  anthropic: { tools: [{ name: 'json', input_schema: CLOSED }] },
};

describe.each(SPEAKERS)('$provider', (speaker) => {
  test('E02 an answer of an asked form: the schema goes along, and its JSON comes back', async () => {
    const json = '{"city":"Łódź","days":3}';
    const reply =
      speaker.provider === 'anthropic'
        ? { toolCalls: [{ name: 'json', arguments: json }] }
        : { tokens: ['{"city":"Łódź",', '"days":3}'] };
    const server = await serveAs(speaker, reply);
    const turns = await openTurns(modelsOf(speaker, server, { structuredOutputs: true }));
    const result = await turns.attempt({ output, chunks: false }).result;
    expect(server.requests[0]?.body).toMatchObject(SCHEMA_IN_REQUEST[speaker.provider]);
    expect(result).toMatchObject({ text: json, toolCalls: [], finishReason: 'stop' });
    expect(result).not.toHaveProperty('problem');
  });

  test('E02 a model that takes no schema is told the form in words', async () => {
    const server = await serveAs(speaker, { tokens: ['```json\n{"city":"Oslo","days":1}\n```'] });
    const turns = await openTurns(modelsOf(speaker, server, { structuredOutputs: false }));
    const result = await turns.attempt({ output, system: 'Be kind.' }).result;
    const body = JSON.stringify(server.requests[0]?.body);
    expect(body).toContain('Be kind.\\n\\nAnswer with JSON only');
    for (const field of ['response_format', 'format', 'tools', 'output_config']) {
      expect(server.requests[0]?.body).not.toHaveProperty(field);
    }
    expect(result.text).toBe('{"city":"Oslo","days":1}');
  });
});

test.each([
  ['{"city":"Oslo","days":1}', undefined],
  ['Here you are: {"city":"Oslo","days":1} Enjoy!', undefined],
  ['{"city":"Oslo","days":1.5}', 'days: '],
  ['{"days":1}', 'city: '],
  ['Oslo, one day', 'it is not JSON'],
  ['', 'it is not JSON'],
  ['"Oslo"', 'expected object'],
])('E02 the answer %s: %s', async (answer, problem) => {
  const server = await serve({ tokens: [answer] });
  const turns = await openTurns(modelsAt(server));
  const result = await turns.attempt({ output }).result;
  if (problem === undefined) expect(JSON.parse(result.text)).toEqual({ city: 'Oslo', days: 1 });
  else expect(result.problem).toContain(problem);
});

test('E02 what the agent checks itself is only read as JSON here', async () => {
  const server = await serve({ tokens: ['{"days":"many"}'] });
  const turns = await openTurns(modelsAt(server));
  const result = await turns.attempt({ output: { ...output, checkedByAgent: true } }).result;
  expect(result).toMatchObject({ text: '{"days":"many"}' });
  expect(result).not.toHaveProperty('problem');
});

test('E02 a correction follows the answer that it is about, as the model sees it', async () => {
  const server = await serve({ tokens: ['Oslo'] }, { tokens: ['{"city":"Oslo","days":1}'] });
  const turns = await openTurns(modelsAt(server));
  const first = await turns.attempt({ output }).result;
  const correction = first.problem ?? '';
  const second = await turns.attempt({ position: first.nextPosition, correction, activityId: '6' }).result;
  expect(second.text).toBe('{"city":"Oslo","days":1}');
  expect(server.requests[1]?.body.messages.slice(1)).toEqual([
    { role: 'user', content: 'Say something' },
    { role: 'assistant', content: 'Oslo' },
    { role: 'user', content: expect.stringContaining('it is not JSON') as string },
  ]);
  // The form is told in every turn.
  expect(server.requests[1]?.body.messages[0]).toEqual(server.requests[0]?.body.messages[0]);
});

test('E02 A17 an answer that the output limit cut off is not asked for again, and its tokens count', async () => {
  const server = await serve({ tokens: ['{"city":'], cutOff: true, usage: { input: 10, output: 2 } });
  const turns = await openTurns(modelsAt(server));
  const error = await failure(turns.attempt({ output }));
  expect(error).toMatchObject({ type: 'ModelOutput', nonRetryable: true });
  expect(error.details?.[0]).toMatchObject({ usage: { inputTokens: 10, outputTokens: 2, totalTokens: 12 } });
});

test('E02 a schema that cannot be checked is refused before the model is asked', async () => {
  const server = await serve({ tokens: ['{}'] });
  const turns = await openTurns(modelsAt(server));
  const schema = { type: 'object', if: { required: ['a'] }, then: { required: ['b'] } };
  expect(await failure(turns.attempt({ output: { schema } }))).toMatchObject({
    type: 'ModelOutputSchema',
    nonRetryable: true,
  });
  expect(server.requests).toEqual([]);
});

test('E02 strict is asked for only where a provider would not refuse the schema', () => {
  const nested = z.object({ places: z.array(z.object({ name: z.string(), kind: z.enum(['a', 'b']) })) });
  const jsonSchema = ({ '~standard': standard }: typeof nested) =>
    standard.jsonSchema.input({ target: 'draft-2020-12' }) as OutputForm['schema'];
  const { $schema: _dialect, ...schema } = jsonSchema(nested);
  const strict = strictForm(schema);
  expect(strict.strict).toBe(true);
  expect(JSON.stringify(strict.schema).match(/"additionalProperties":false/g)).toHaveLength(2);
  const loose: OutputForm['schema'][] = [
    { ...CITY, required: ['city'] },
    { ...CITY, additionalProperties: true },
    { type: 'object', additionalProperties: { type: 'string' } },
    { ...CITY, minProperties: 1 },
    { type: 'array', items: CITY },
    { ...CITY, properties: { ...CITY.properties, city: { type: 'object', properties: { x: {} } } } },
  ];
  for (const one of loose) expect(strictForm(one).strict).toBe(false);
});

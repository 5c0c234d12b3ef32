import { z } from 'zod';
import type { JsonSchema, OutputForm } from '../../core/generation.js';
import type { Json } from '../../core/task.js';

/** An answer as JSON text, or what is wrong with it, as the model is to read it. */
export type OutputText = { text: string } | { problem: string };

/**
 * Reads an answer of an asked form. Models put Markdown fences or a sentence around JSON: that is taken off, and
 * nothing else is mended. A JSON Schema that the agent gave is checked here.
 */
export function readOutputText(answer: string, { schema, checkedByAgent = false }: OutputForm): OutputText {
  const text = jsonIn(answer);
  if (text === undefined) return { problem: 'it is not JSON' };
  if (checkedByAgent) return { text };
  const outcome = checkOf(schema).safeParse(JSON.parse(text));
  return outcome.success ? { text } : { problem: problemOf(outcome.error) };
}

/** False for a JSON Schema with words that answers cannot be checked by. */
export function canCheck({ schema, checkedByAgent = false }: OutputForm): boolean {
  try {
    if (!checkedByAgent) checkOf(schema);
    return true;
  } catch {
    return false;
  }
}

function checkOf(schema: JsonSchema): z.ZodType {
  return z.fromJSONSchema(schema);
}

export function outputInstruction(schema: JsonSchema): string {
  return `Answer with JSON only, without Markdown and without a word around it. It must fit this JSON Schema:\n${JSON.stringify(schema)}`;
}

function jsonIn(answer: string): string | undefined {
  const [, fenced] = /```(?:json)?\s*\n([^]*?)\n?\s*```/.exec(answer) ?? [];
  const candidates = [answer.trim(), fenced?.trim(), /[[{][^]*[\]}]/.exec(answer)?.[0]];
  return candidates.find((text) => text !== undefined && isJson(text));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function problemOf(error: z.ZodError): string {
  return error.issues
    .map(({ path, message }) => (path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`))
    .join('; ');
}

/** What OpenAI's strict mode understands; in a schema with anything else it refuses the whole request. */
const STRICT_WORDS = new Set(
  (
    '$defs $ref additionalProperties anyOf const description enum exclusiveMaximum exclusiveMinimum items ' +
    'maxItems maximum minItems minimum multipleOf properties required title type'
  ).split(' '),
);

/**
 * The schema with its objects closed to properties that it does not name, and whether a provider can be asked to
 * keep to it strictly: then every property is required, and each word of the schema is known.
 */
export function strictForm(schema: JsonSchema): { schema: JsonSchema; strict: boolean } {
  const closed = closeObjects(schema) as JsonSchema;
  return { schema: closed, strict: closed['type'] === 'object' && isStrict(closed) };
}

function closeObjects(schema: Json): Json {
  return mapSchemas(schema, (one) =>
    'properties' in one && !('additionalProperties' in one) ? { ...one, additionalProperties: false } : one,
  );
}

function isStrict(schema: Json): boolean {
  let strict = true;
  mapSchemas(schema, (one) => {
    const properties = Object.keys((one['properties'] as JsonSchema | undefined) ?? {});
    const required = (one['required'] as Json[] | undefined) ?? [];
    const isObject = one['type'] === 'object' || 'properties' in one;
    const known = Object.keys(one).every((word) => STRICT_WORDS.has(word));
    const whole = properties.every((name) => required.includes(name));
    if (!known || (isObject && (one['additionalProperties'] !== false || !whole))) strict = false;
    return one;
  });
  return strict;
}

/** Words of JSON Schema below which there are schemas: one, a list, or one by name. */
const BELOW = ['items', 'additionalProperties', 'not', 'anyOf', 'oneOf', 'allOf', 'prefixItems'] as const;
const BELOW_BY_NAME = ['properties', 'patternProperties', '$defs', 'definitions'] as const;

function mapSchemas(schema: Json, change: (schema: JsonSchema) => JsonSchema): Json {
  if (Array.isArray(schema)) return schema.map((one) => mapSchemas(one, change));
  if (typeof schema !== 'object' || schema === null) return schema;
  const below: JsonSchema = {};
  for (const word of BELOW) {
    const value = schema[word];
    if (value !== undefined) below[word] = mapSchemas(value, change);
  }
  for (const word of BELOW_BY_NAME) {
    const value = schema[word];
    if (typeof value !== 'object' || value === null || Array.isArray(value)) continue;
    below[word] = Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, mapSchemas(one, change)]),
    );
  }
  return change({ ...schema, ...below });
}

import type { Json } from '../../core/task.js';

/** The least that fits a JSON Schema, for a model that has nothing to say. It knows the usual words, not all. */
export function sampleOf(schema: unknown): Json {
  const { const: constant, enum: values, anyOf, oneOf, type, ...rest } = schema as Words;
  if (constant !== undefined) return constant;
  if (values?.[0] !== undefined) return values[0];
  const choice = anyOf?.[0] ?? oneOf?.[0];
  if (choice !== undefined) return sampleOf(choice);
  switch (Array.isArray(type) ? type[0] : type) {
    case 'string':
      return 'demo'.padEnd(rest.minLength ?? 0, '.').slice(0, rest.maxLength);
    case 'integer':
    case 'number':
      return rest.minimum ?? Math.min(1, rest.maximum ?? 1);
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array':
      return Array.from({ length: rest.minItems ?? 1 }, () => sampleOf(rest.items ?? {}));
    default:
      return Object.fromEntries(
        Object.entries(rest.properties ?? {}).map(([name, one]) => [name, sampleOf(one)]),
      );
  }
}

interface Words {
  const?: Json;
  enum?: Json[];
  anyOf?: unknown[];
  oneOf?: unknown[];
  type?: string | string[];
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  items?: unknown;
  properties?: Record<string, unknown>;
}

import type { Schema, SchemaIssue } from './agent.js';
import type { JsonSchema, OutputForm } from './generation.js';
import type { Json } from './task.js';

/**
 * The form of a model's answer: a schema of a library that also makes JSON Schemas (zod 4.2 and later do), or a JSON
 * Schema itself, whose answer is then plain JSON.
 */
export type OutputSchema<T> = Schema<T> | JsonSchema;

/** Standard JSON Schema, what a library that makes JSON Schemas has beside `validate`. */
interface SchemaMaker {
  jsonSchema?: { input(options: { target: string }): Record<string, unknown> };
}

/** Thrown by `generate` where the model's answers do not have the asked form. Its message may be shown to callers. */
export class OutputMismatch extends Error {
  readonly details: [{ safeMessage: string }];

  constructor(
    /** What is wrong with the last answer. */
    readonly problem: string,
  ) {
    const message = `The model's answer does not have the form that was asked for: ${problem}`;
    super(message);
    this.name = 'OutputMismatch';
    this.details = [{ safeMessage: message }];
  }
}

/** What the model is told. Throws a plain Error for a schema that has no JSON Schema. */
export function outputForm(output: OutputSchema<unknown>): OutputForm {
  if (!isSchema(output)) return { schema: output };
  const { jsonSchema } = output['~standard'] as SchemaMaker;
  if (jsonSchema === undefined) {
    throw new TypeError(
      'generate: this schema library makes no JSON Schema; give `output` a JSON Schema itself',
    );
  }
  // The model writes what the schema reads.
  const { $schema: _dialect, ...schema } = jsonSchema.input({ target: 'draft-2020-12' });
  return { schema: schema as JsonSchema, checkedByAgent: true };
}

/** The answer as the agent gets it, or what is wrong with it. */
export function readOutput<T>(output: OutputSchema<T>, text: string): Checked<T> {
  const value = JSON.parse(text) as Json;
  // A JSON Schema was checked where the model was called.
  return isSchema(output) ? checkBySchema(output, value) : { value: value as T };
}

export type Checked<T> = { value: T } | { problem: string };

/** Throws where the schema validates asynchronously: an agent's code may not wait for what is not recorded. */
export function checkBySchema<T>(schema: Schema<T>, value: Json): Checked<T> {
  const outcome = schema['~standard'].validate(value);
  if (outcome instanceof Promise) throw new TypeError('a schema that validates synchronously is needed');
  if (outcome.issues === undefined) return { value: outcome.value };
  return { problem: outcome.issues.map(describe).join('; ') };
}

function describe({ message, path = [] }: SchemaIssue): string {
  const place = path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.');
  return place === '' ? message : `${place}: ${message}`;
}

function isSchema<T>(output: OutputSchema<T>): output is Schema<T> {
  return '~standard' in output;
}

import { z } from 'zod';
import { readYamlFile } from '../yaml-file.js';
import { type Environment, KEY_VARIABLES, type ModelEndpoint, PROVIDER_NAMES } from './configured-model.js';
import type { ModelSettings } from './models.js';
import { SCRIPTED_DEMO } from './scripted.js';

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;
/** Headers that hold secrets as a rule. */
const SECRET_HEADER = /authorization|key|token|secret|cookie|password/i;

const amount = z.number().min(0, 'expected zero or more');

const PRICE = z.strictObject({
  input: amount,
  output: amount,
  cachedInput: amount.exactOptional(),
  cacheCreation: amount.exactOptional(),
});

const MODEL = z.strictObject({
  provider: z.enum(PROVIDER_NAMES, `expected ${PROVIDER_NAMES.join(', ')}`),
  model: z.string().min(1, 'expected the name that the provider has for it'),
  baseURL: z
    .string()
    .refine(isPlainURL, 'expected an http or https URL without credentials in it')
    .exactOptional(),
  apiKey: z
    .string()
    .regex(/^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/, 'expected ${NAME}: keys come from environment variables')
    .exactOptional(),
  apiKeyEnv: z.string().regex(VARIABLE, 'expected the name of an environment variable').exactOptional(),
  headers: z.record(z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/), z.string()).exactOptional(),
  temperature: z.number().min(0, 'expected 0 to 2').max(2, 'expected 0 to 2').exactOptional(),
  maxOutputTokens: z.int().min(1, 'expected at least 1').exactOptional(),
  cache: z.union([z.boolean(), z.literal('1h')], 'expected true, false or 1h').exactOptional(),
  structuredOutputs: z.boolean().exactOptional(),
  options: z.record(z.string(), z.json()).exactOptional(),
  price: PRICE.exactOptional(),
});
type FileModel = z.output<typeof MODEL>;

const FILE = z.strictObject({
  default: z.string().exactOptional(),
  models: z
    .record(z.string(), MODEL)
    .refine((models) => Object.keys(models).length > 0, 'expected at least one model'),
});

/**
 * Reads a file of models. Throws a plain Error with a line for each thing that is wrong, also for a variable that is
 * not set; no value of one is ever shown.
 */
export function readModelsFile(
  file: string,
  environment: Environment,
): Promise<Required<Pick<ModelSettings, 'endpoints' | 'default'>>> {
  const schema = FILE.transform(({ models, default: given }, context) => {
    const [first = SCRIPTED_DEMO] = Object.keys(models);
    const name = given ?? first;
    if (!(name in models) && name !== SCRIPTED_DEMO) {
      context.addIssue({
        code: 'custom',
        path: ['default'],
        message: 'expected the name of one of the models',
      });
    }
    const endpoints = Object.entries(models).map(([key, model]) => {
      const wrong: Wrong = (field, message) =>
        context.addIssue({ code: 'custom', path: ['models', key, ...field], message });
      if (key === SCRIPTED_DEMO) wrong([], 'the demo model has this name');
      return endpointOf(key, model, environment, wrong);
    });
    return { endpoints, default: name };
  });
  return readYamlFile(file, schema);
}

type Wrong = (field: string[], message: string) => void;

function endpointOf(name: string, model: FileModel, environment: Environment, wrong: Wrong): ModelEndpoint {
  const { apiKeyEnv: _variable, apiKey: _reference, headers: _headers, ...same } = model;
  if (model.provider === 'openai-compatible' && model.baseURL === undefined) {
    wrong([], 'baseURL is missing: only openai and anthropic have an address of their own');
  }
  if (model.cache && model.provider === 'openai-compatible') {
    wrong(['cache'], 'only openai and anthropic have a prompt cache to ask for');
  }
  if (model.cache === '1h' && model.provider !== 'anthropic') wrong(['cache'], '1h is for anthropic');
  const apiKey = keyOf(model, environment, wrong);
  const headers = headersOf(model, environment, wrong);
  return {
    ...same,
    name,
    ...(apiKey !== undefined && { apiKey }),
    ...(headers && { headers }),
  };
}

function keyOf(model: FileModel, environment: Environment, wrong: Wrong): string | undefined {
  const { apiKey, apiKeyEnv, provider, baseURL } = model;
  if (apiKey !== undefined && apiKeyEnv !== undefined) wrong(['apiKeyEnv'], 'apiKey says it already');
  if (apiKey !== undefined) return resolve(apiKey, environment, (message) => wrong(['apiKey'], message));
  if (apiKeyEnv !== undefined) {
    return resolve(`\${${apiKeyEnv}}`, environment, (message) => wrong(['apiKeyEnv'], message));
  }
  if (provider === 'openai-compatible') return undefined;
  if (baseURL !== undefined) {
    wrong(['baseURL'], 'apiKey is missing: the key of another address is not guessed');
    return undefined;
  }
  return resolve(`\${${KEY_VARIABLES[provider]}}`, environment, (message) => wrong([], message));
}

function headersOf(
  { headers }: FileModel,
  environment: Environment,
  wrong: Wrong,
): Record<string, string> | undefined {
  if (headers === undefined) return undefined;
  const resolved: Record<string, string> = {};
  for (const [name, given] of Object.entries(headers)) {
    const say = (message: string): void => wrong(['headers', name], message);
    if (SECRET_HEADER.test(name) && !given.includes('${')) {
      say('expected ${NAME}: secrets come from environment variables');
    }
    const value = resolve(given, environment, say) ?? '';
    if (!/^[\t\x20-\x7e]*$/.test(value)) say('has characters that no header may have');
    resolved[name] = value;
  }
  return resolved;
}

/** The text with its references replaced; undefined where a variable is not set. */
function resolve(
  text: string,
  environment: Environment,
  wrong: (message: string) => void,
): string | undefined {
  let missing = false;
  const value = text.replaceAll(REFERENCE, (_all, variable: string) => {
    const found = environment(variable);
    if (found === undefined || found === '') {
      wrong(`the environment variable ${variable} is not set`);
      missing = true;
    }
    return found ?? '';
  });
  return missing ? undefined : value;
}

function isPlainURL(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

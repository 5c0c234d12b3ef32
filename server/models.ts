import { resolve } from 'node:path';
import {
  type Environment,
  KEY_VARIABLES,
  type ModelEndpoint,
  type Models,
  type ProviderName,
} from '../activities/model/configured-model.js';
import { createModels } from '../activities/model/models.js';
import { readModelsFile } from '../activities/model/models-file.js';
import type { SettingValues } from './settings-table.js';

/** The models, as the environment says. */
export interface ModelsSettings {
  /** Of several models. */
  file: string | undefined;
  /** The only model; undefined where there is a file, or the scripted demo model alone. */
  endpoint: ModelEndpoint | undefined;
  /** Where the file's references lead. */
  environment: Environment;
  stallMillis: number;
  scriptedDelayMillis: number;
}

/** Throws a plain Error that names the variables that do not fit together, and never a secret. */
export function modelsSettings(values: SettingValues, env: NodeJS.ProcessEnv): ModelsSettings {
  return {
    file: values.MODELS_FILE === undefined ? undefined : resolve(values.MODELS_FILE),
    endpoint: modelEndpoint(values),
    environment: (name) => env[name],
    stallMillis: values.MODEL_STALL_TIMEOUT,
    scriptedDelayMillis: values.SCRIPTED_MODEL_DELAY,
  };
}

/** Reads the file, where there is one. Throws a plain Error that says what is wrong in which line. */
export async function loadModels(settings: ModelsSettings): Promise<Models> {
  const { file, endpoint, environment, stallMillis, scriptedDelayMillis } = settings;
  const several = file === undefined ? undefined : await readModelsFile(file, environment);
  return createModels({
    ...(endpoint && { endpoints: [endpoint] }),
    ...several,
    stallMillis,
    scriptedDelayMillis,
  });
}

function modelEndpoint(values: SettingValues): ModelEndpoint | undefined {
  const { MODEL_NAME: model, MODEL_BASE_URL: baseURL, MODEL_API_KEY: apiKey, MODEL_PROVIDER: given } = values;
  const about = Object.entries({
    MODEL_NAME: model,
    MODEL_BASE_URL: baseURL,
    MODEL_API_KEY: apiKey,
    MODEL_PROVIDER: given,
  });
  const set = about.flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (values.MODELS_FILE !== undefined) {
    if (set.length > 0)
      throw new Error(`${set.join(', ')}: MODELS_FILE says it already; set one or the other`);
    return undefined;
  }
  // The key of a provider alone is no wish to use it: many have one in their environment.
  if (set.length === 0) return undefined;
  if (model === undefined)
    throw new Error(`MODEL_NAME is missing: ${set.join(', ')} need${set.length > 1 ? '' : 's'} it`);
  const provider = given ?? (baseURL === undefined ? providerByKey(values) : 'openai-compatible');
  if (provider === 'openai-compatible' && baseURL === undefined) {
    throw new Error('MODEL_BASE_URL is missing: MODEL_PROVIDER=openai-compatible needs it');
  }
  const key = apiKey ?? (baseURL === undefined ? keyOf(provider, values) : undefined);
  if (provider !== 'openai-compatible' && key === undefined) {
    const instead = baseURL === undefined ? ` or ${KEY_VARIABLES[provider]}` : '';
    throw new Error(`MODEL_API_KEY${instead} is missing: MODEL_PROVIDER=${provider} needs it`);
  }
  return {
    provider,
    model,
    ...(baseURL !== undefined && { baseURL }),
    ...(key !== undefined && { apiKey: key }),
  };
}

function keyOf(provider: ProviderName, values: SettingValues): string | undefined {
  if (provider === 'openai') return values.OPENAI_API_KEY;
  return provider === 'anthropic' ? values.ANTHROPIC_API_KEY : undefined;
}

function providerByKey(values: SettingValues): ProviderName {
  const known = (['openai', 'anthropic'] as const).filter(
    (provider) => keyOf(provider, values) !== undefined,
  );
  const [only] = known;
  if (only === undefined || known.length > 1) {
    throw new Error(
      'MODEL_PROVIDER is missing: MODEL_NAME needs it, or MODEL_BASE_URL, or just one of OPENAI_API_KEY and ANTHROPIC_API_KEY',
    );
  }
  return only;
}

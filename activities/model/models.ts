import { type ConfiguredModel, type ModelEndpoint, type Models, plainModel } from './configured-model.js';
import { modelFetch } from './fetch.js';
import { PROVIDERS } from './providers.js';
import { SCRIPTED_DEMO, scriptedModel } from './scripted.js';

export interface ModelSettings {
  endpoints?: ModelEndpoint[];
  /** Name of the model that agents get who ask for none. Default: the first endpoint, else the scripted demo model. */
  default?: string;
  /** Milliseconds without a byte after which a request is given up and tried again. Default 60,000. */
  stallMillis?: number;
  /** Milliseconds from word to word of the scripted demo model. Default 0. */
  scriptedDelayMillis?: number;
}

/** Throws a plain Error that names the setting, never its value. */
export function createModels(settings: ModelSettings = {}): Models {
  const { endpoints = [], stallMillis = 60_000, scriptedDelayMillis = 0 } = settings;
  const fetch = modelFetch({ stallMillis });
  const models = new Map<string, ConfiguredModel>();
  for (const endpoint of endpoints) {
    const configured = configuredModel(endpoint, fetch);
    if (models.has(configured.name)) throw new Error(`two models are named '${configured.name}'`);
    models.set(configured.name, configured);
  }
  const byDefault = settings.default ?? models.keys().next().value ?? SCRIPTED_DEMO;
  models.set(SCRIPTED_DEMO, plainModel(SCRIPTED_DEMO, scriptedModel({ delayMillis: scriptedDelayMillis })));
  if (!models.has(byDefault)) throw new Error(`the default model '${byDefault}' is not among the models`);
  return { names: [...models.keys()], get: (name = byDefault) => models.get(name) };
}

function configuredModel(endpoint: ModelEndpoint, fetch: typeof globalThis.fetch): ConfiguredModel {
  const { model, name = model, temperature, maxOutputTokens, price, headers = {}, apiKey } = endpoint;
  if (name === '') throw new Error('a model endpoint needs a model name');
  if (name === SCRIPTED_DEMO) throw new Error(`'${SCRIPTED_DEMO}' is the name of the demo model`);
  const provider = PROVIDERS[endpoint.provider ?? 'openai-compatible'];
  if (provider.needsKey && apiKey === undefined) throw new Error(`model '${name}' needs an API key`);
  // Node.js would refuse to send it, with an error that may quote it.
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new Error(`the API key of model '${name}' has characters that no key has, such as a space`);
  }
  const baseURL = checkedURL(endpoint.baseURL ?? provider.baseURL, name);
  const systemOptions = provider.systemOptions?.(endpoint);
  return {
    name,
    model: provider.create({ baseURL, apiKey, headers, model, fetch }),
    ...(temperature !== undefined && { temperature }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    takesSchemas: provider.takesSchemas(endpoint),
    options: provider.options(endpoint),
    ...(systemOptions && { systemOptions }),
    ...(price && { price }),
  };
}

function checkedURL(baseURL: string | undefined, name: string): string {
  if (baseURL === undefined) throw new Error(`model '${name}' needs a baseURL`);
  if (!URL.canParse(baseURL)) throw new Error(`baseURL of model '${name}' is not a URL`);
  const { protocol, username, password } = new URL(baseURL);
  if (protocol !== 'https:' && protocol !== 'http:') {
    throw new Error(`baseURL of model '${name}' must be http or https`);
  }
  if (username !== '' || password !== '') {
    throw new Error(`baseURL of model '${name}' must not carry credentials: give them as apiKey`);
  }
  return baseURL.replace(/\/+$/, '');
}

import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { modelFetch } from './fetch.js';
import type { Model } from './model.js';
import { SCRIPTED_DEMO, scriptedModel } from './scripted.js';

/** Any endpoint that speaks OpenAI's chat completions. */
interface EndpointSettings {
  /** Such as `https://api.openai.com/v1`; without credentials in it. */
  baseURL: string;
  apiKey?: string;
  /** As the endpoint calls it. */
  model: string;
  /** As agents call it. Default: `model`. */
  name?: string;
}

export interface ModelSettings {
  /** The first one is the default; without any, the scripted demo model is. */
  endpoints?: EndpointSettings[];
  /** Milliseconds without a byte after which a request is given up and tried again. Default 60,000. */
  stallMillis?: number;
  /** Milliseconds from word to word of the scripted demo model. Default 0. */
  scriptedDelayMillis?: number;
}

/** The configured models by name. */
export interface Models {
  readonly names: readonly string[];
  /** Without a name the default model; undefined for a name that is not configured. */
  get(name?: string): Model | undefined;
}

/** Throws a plain Error that names the setting, never its value. */
export function createModels(settings: ModelSettings = {}): Models {
  const { endpoints = [], stallMillis = 60_000, scriptedDelayMillis = 0 } = settings;
  const models = new Map<string, Model>();
  for (const endpoint of endpoints) {
    const name = endpoint.name ?? endpoint.model;
    if (models.has(name)) throw new Error(`two models are named '${name}'`);
    models.set(name, openAICompatibleModel(endpoint, stallMillis));
  }
  const byDefault = models.keys().next().value ?? SCRIPTED_DEMO;
  models.set(SCRIPTED_DEMO, scriptedModel({ delayMillis: scriptedDelayMillis }));
  return { names: [...models.keys()], get: (name = byDefault) => models.get(name) };
}

function openAICompatibleModel({ baseURL, apiKey, model }: EndpointSettings, stallMillis: number): Model {
  if (model === '') throw new Error('a model endpoint needs a model name');
  if (!URL.canParse(baseURL)) throw new Error(`baseURL of model '${model}' is not a URL`);
  const { protocol, username, password } = new URL(baseURL);
  if (protocol !== 'https:' && protocol !== 'http:') {
    throw new Error(`baseURL of model '${model}' must be http or https`);
  }
  if (username !== '' || password !== '') {
    throw new Error(`baseURL of model '${model}' must not carry credentials: give them as apiKey`);
  }
  const provider = createOpenAICompatible({
    name: 'openai-compatible',
    baseURL,
    ...(apiKey !== undefined && { apiKey }),
    includeUsage: true,
    fetch: modelFetch({ stallMillis }),
  });
  return provider.chatModel(model);
}

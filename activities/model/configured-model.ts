import type { SharedV3ProviderOptions } from '@ai-sdk/provider';
import type { Json } from '../../core/task.js';
import type { Model } from './model.js';

/** Those whose protocols we speak. */
export const PROVIDER_NAMES = ['openai', 'anthropic', 'openai-compatible'] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** Where everybody keeps the key of a provider. Such a key goes to the provider's own address only. */
export const KEY_VARIABLES: Partial<Record<ProviderName, string>> = {
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
};

/** Gives the environment's variables; undefined for one that is not set. */
export type Environment = (name: string) => string | undefined;

/** A model of a provider, as an operator configures it. */
export interface ModelEndpoint {
  /** Default: `openai-compatible`. */
  provider?: ProviderName;
  /** As the provider calls it. */
  model: string;
  /** As agents call it. Default: `model`. */
  name?: string;
  /** Such as `https://api.openai.com/v1`; without credentials in it. Default: the provider's own. */
  baseURL?: string;
  apiKey?: string;
  headers?: Record<string, string>;
  /** Where the agent says nothing else. */
  temperature?: number;
  maxOutputTokens?: number;
  /** Ask for the provider's prompt cache; `1h` keeps it for an hour (Anthropic). Default: no. */
  cache?: false | true | '1h';
  /** Send the schema of an answer along. Default: true, but for `openai-compatible`, which is told in words. */
  structuredOutputs?: boolean;
  /** Of the provider's own, as the AI SDK names them, such as `reasoningEffort`. */
  options?: Record<string, Json>;
  price?: ModelPrice;
}

/** Per million tokens, in credits. */
export interface ModelPrice {
  input: number;
  output: number;
  /** Default: as `input`. */
  cachedInput?: number;
  /** Default: as `input`. */
  cacheCreation?: number;
}

/** A model that agents can ask. */
export interface ConfiguredModel {
  /** As agents call it. */
  name: string;
  model: Model;
  temperature?: number;
  maxOutputTokens?: number;
  /** Whether a schema may go with a request; else the model is told the form of its answer in words. */
  takesSchemas: boolean;
  /** The provider's own options of one request. */
  options?(request: { taskId: string; strict: boolean }): SharedV3ProviderOptions;
  systemOptions?: SharedV3ProviderOptions;
  price?: ModelPrice;
}

/** The configured models by name. */
export interface Models {
  readonly names: readonly string[];
  /** Without a name the default model; undefined for a name that is not configured. */
  get(name?: string): ConfiguredModel | undefined;
}

/** A model without any settings. */
export function plainModel(name: string, model: Model): ConfiguredModel {
  return { name, model, takesSchemas: true };
}

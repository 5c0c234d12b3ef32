import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { SharedV3ProviderOptions } from '@ai-sdk/provider';
import type { Json } from '../../core/task.js';
import type { ConfiguredModel, ModelEndpoint, ProviderName } from './configured-model.js';
import type { Model } from './model.js';

/** What the AI SDK's providers need of an endpoint, and which options they take for what we promise. */
interface Provider {
  /** Where the endpoint gives none; undefined where it must. */
  baseURL?: string;
  needsKey: boolean;
  create(endpoint: Connection): Model;
  /** Whether a JSON Schema may be sent with a request. */
  takesSchemas(endpoint: ModelEndpoint): boolean;
  options(endpoint: ModelEndpoint): NonNullable<ConfiguredModel['options']>;
  systemOptions?(endpoint: ModelEndpoint): SharedV3ProviderOptions | undefined;
}

/** All given, since otherwise an SDK would read them from environment variables of its own. */
interface Connection {
  baseURL: string;
  apiKey: string | undefined;
  headers: Record<string, string>;
  model: string;
  fetch: typeof fetch;
}

type Options = Record<string, Json>;

export const PROVIDERS: Record<ProviderName, Provider> = {
  /** The Responses API. */
  openai: {
    baseURL: 'https://api.openai.com/v1',
    needsKey: true,
    create: ({ model, apiKey = '', ...rest }) => createOpenAI({ ...rest, apiKey }).responses(model),
    takesSchemas: ({ structuredOutputs = true }) => structuredOutputs,
    options:
      ({ cache, options }) =>
      ({ taskId, strict }) => ({
        openai: {
          // A task may go on after what OpenAI keeps is gone: all of the conversation is in our journal.
          store: false,
          strictJsonSchema: strict,
          ...(cache && { promptCacheKey: taskId }),
          ...(options as Options),
        },
      }),
  },
  anthropic: {
    baseURL: 'https://api.anthropic.com/v1',
    needsKey: true,
    create: ({ model, apiKey = '', ...rest }) => createAnthropic({ ...rest, apiKey }).messages(model),
    takesSchemas: ({ structuredOutputs = true }) => structuredOutputs,
    options:
      ({ cache, options }) =>
      () => ({
        anthropic: { ...(cache && { cacheControl: cacheControl(cache) }), ...(options as Options) },
      }),
    // What other tasks with the same instructions and tools share; the mark in `options` moves with the conversation.
    systemOptions: ({ cache }) => (cache ? { anthropic: { cacheControl: cacheControl(cache) } } : undefined),
  },
  /** Chat completions, as most other servers speak them. */
  'openai-compatible': {
    needsKey: false,
    create: ({ model, apiKey, ...rest }) =>
      createOpenAICompatible({
        ...rest,
        name: 'openai-compatible',
        ...(apiKey !== undefined && { apiKey }),
        includeUsage: true,
        supportsStructuredOutputs: true,
      }).chatModel(model),
    takesSchemas: ({ structuredOutputs = false }) => structuredOutputs,
    options:
      ({ options }) =>
      ({ strict }) => ({ openaiCompatible: { strictJsonSchema: strict, ...(options as Options) } }),
  },
};

function cacheControl(cache: true | '1h'): Options {
  return { type: 'ephemeral', ...(cache === '1h' && { ttl: '1h' }) };
}

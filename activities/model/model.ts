import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Message,
  LanguageModelV3StreamPart,
} from '@ai-sdk/provider';

/**
 * The AI SDK's words for a model, without the SDK's own pipeline around it (docs/decisions/0010). A model's
 * `modelId` is what usage reports name.
 */
export type Model = LanguageModelV3;

/** What is asked of a model: the conversation so far, tools, limits, an abort signal. */
export type ModelRequest = LanguageModelV3CallOptions;

export type ModelMessage = LanguageModelV3Message;

export type AssistantContent = Extract<ModelMessage, { role: 'assistant' }>['content'];

/** What a model streams. */
export type StreamPart = LanguageModelV3StreamPart;

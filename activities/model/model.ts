import type { LanguageModel } from 'ai';

/** A model as the AI SDK knows it. Its `modelId` is what usage reports name. */
export type Model = Extract<LanguageModel, { specificationVersion: 'v3' }>;

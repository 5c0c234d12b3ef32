/** What model calls used (A17). */
export interface Usage {
  /** The newest model that was asked, as its provider calls it. */
  model: string;
  inputTokens: number;
  outputTokens: number;
  /** Of the input tokens, those that the provider read from its cache. */
  cachedInputTokens: number;
  /** Of the input tokens, those that the provider wrote to its cache. */
  cacheCreationInputTokens: number;
  /** Input plus output. */
  totalTokens: number;
}

export function sumOfUsage(earlier: Usage | undefined, later: Usage): Usage {
  if (earlier === undefined) return later;
  return {
    model: later.model,
    inputTokens: earlier.inputTokens + later.inputTokens,
    outputTokens: earlier.outputTokens + later.outputTokens,
    cachedInputTokens: earlier.cachedInputTokens + later.cachedInputTokens,
    cacheCreationInputTokens: earlier.cacheCreationInputTokens + later.cacheCreationInputTokens,
    totalTokens: earlier.totalTokens + later.totalTokens,
  };
}

/** First of the details of a failed model call. */
export interface ModelFailureDetail {
  /** For callers. */
  safeMessage: string;
  /** Tokens that the failed attempts used, as far as it is known: they were paid for. */
  usage?: Usage;
  /** Where the provider refuses for now: when it may take requests again, if it said so (ISO 8601). */
  resetsAt?: string;
}

/** What a failed model call used, however deep the failure is wrapped. */
export function usageOfFailure(error: unknown): Usage | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 10; at = at.cause, depth++) {
    const details = (at as { details?: unknown }).details;
    const first: unknown = Array.isArray(details) ? details[0] : undefined;
    if (typeof first === 'object' && first !== null && 'usage' in first) return first.usage as Usage;
  }
  return undefined;
}

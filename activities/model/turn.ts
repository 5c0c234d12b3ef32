import type { LanguageModelV3Usage } from '@ai-sdk/provider';
import type { Usage } from '../../core/usage.js';
import { Answer } from './answer.js';
import type { Model, ModelRequest, StreamPart } from './model.js';

export interface Turn {
  answer: Answer;
  finishReason: string;
  usage: Usage;
}

/** The model's answer cannot be used. The message follows "The model 'x' …". */
export class ModelOutputError extends Error {
  constructor(
    message: string,
    /** False where the same request would end the same way. */
    readonly retryable = true,
    /** What was paid for it, where the provider said so. */
    readonly usage?: Usage,
  ) {
    super(message);
    this.name = 'ModelOutputError';
  }
}

/** The answer ended without an end: the connection is at fault, or the provider. */
export class BrokenOffError extends ModelOutputError {
  constructor(usage?: Usage) {
    super('broke off its answer', true, usage);
    this.name = 'BrokenOffError';
  }
}

/**
 * One turn of a model, without retries: those are Temporal's. Throws the provider's error, the reason of an
 * abort, or {@link ModelOutputError}. Tool calls are returned and never executed.
 */
export async function streamTurn(
  model: Model,
  request: ModelRequest,
  signal: AbortSignal,
  onText: (text: string) => void,
): Promise<Turn> {
  const { stream } = await model.doStream({ ...request, abortSignal: signal });
  const answer = new Answer();
  let finish: Finish | undefined;
  for await (const part of partsOf(stream, signal)) {
    answer.add(part);
    if (part.type === 'text-delta') onText(part.delta);
    else if (part.type === 'finish') finish = part;
    else if (part.type === 'error') throw part.error;
  }
  if (!finish) throw new BrokenOffError();
  const usage = usageOf(model.modelId, finish.usage);
  if (isBrokenOff(finish)) throw new BrokenOffError(usage);
  const finishReason = finish.finishReason.unified;
  if (answer.hasUnreadableCall) {
    const cutOff = finishReason === 'length';
    throw new ModelOutputError(
      cutOff
        ? 'was cut off in a tool call: its output limit is too low'
        : 'called a tool with input that is no JSON object',
      !cutOff,
      usage,
    );
  }
  return { answer, finishReason, usage };
}

type Finish = Extract<StreamPart, { type: 'finish' }>;

/**
 * Providers end their parts with a finish also where the stream broke; then no reason came with it. (OpenAI's
 * Responses have no word of their own for an ordinary end.)
 */
function isBrokenOff({ finishReason: { raw, unified } }: Finish): boolean {
  return raw === undefined && (unified === 'other' || unified === 'error');
}

/** Throws the reason of an abort at once, also where the provider does not heed it. */
async function* partsOf(stream: ReadableStream<StreamPart>, signal: AbortSignal): AsyncGenerator<StreamPart> {
  const reader = stream.getReader();
  const cancel = (): void => void reader.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener('abort', cancel);
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await reader.read();
      if (done) break;
      yield value;
    }
    signal.throwIfAborted();
  } finally {
    signal.removeEventListener('abort', cancel);
    // Where the reader of these parts has seen enough, the model need not go on.
    cancel();
  }
}

/** A17. Providers that leave a figure out count as zero. */
function usageOf(model: string, usage: LanguageModelV3Usage): Usage {
  const inputTokens = usage.inputTokens.total ?? 0;
  const outputTokens = usage.outputTokens.total ?? 0;
  return {
    model,
    inputTokens,
    outputTokens,
    cachedInputTokens: usage.inputTokens.cacheRead ?? 0,
    cacheCreationInputTokens: usage.inputTokens.cacheWrite ?? 0,
    totalTokens: inputTokens + outputTokens,
  };
}

import type { LanguageModelV3Usage } from '@ai-sdk/provider';
import type { Usage } from '../../core/agent.js';
import type { GenerateCall } from '../../core/generation.js';
import { Answer } from './answer.js';
import type { Model, ModelMessage, ModelRequest, StreamPart } from './model.js';

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
  ) {
    super(message);
    this.name = 'ModelOutputError';
  }
}

/**
 * One turn of a model, without retries: those are Temporal's. Throws the provider's error, the reason of an
 * abort, or {@link ModelOutputError}. Tool calls are returned and never executed.
 */
export async function streamTurn(
  model: Model,
  call: GenerateCall,
  messages: ModelMessage[],
  signal: AbortSignal,
  onText: (text: string) => void,
): Promise<Turn> {
  const { stream } = await model.doStream({ ...requestOf(call, messages), abortSignal: signal });
  const answer = new Answer();
  let finish: Extract<StreamPart, { type: 'finish' }> | undefined;
  for await (const part of partsOf(stream, signal)) {
    answer.add(part);
    if (part.type === 'text-delta') onText(part.delta);
    // A provider that never said why it finished did not: its stream broke off.
    else if (part.type === 'finish' && part.finishReason.raw !== undefined) finish = part;
    else if (part.type === 'error') throw part.error;
  }
  if (!finish) throw new ModelOutputError('broke off its answer');
  const finishReason = finish.finishReason.unified;
  if (answer.hasUnreadableCall) {
    const cutOff = finishReason === 'length';
    throw new ModelOutputError(
      cutOff
        ? 'was cut off in a tool call: its output limit is too low'
        : 'called a tool with input that is no JSON object',
      !cutOff,
    );
  }
  return { answer, finishReason, usage: usageOf(model.modelId, finish.usage) };
}

function requestOf(call: GenerateCall, messages: ModelMessage[]): ModelRequest {
  const { system, tools = [], temperature, maxOutputTokens } = call;
  return {
    prompt: system === undefined ? messages : [{ role: 'system', content: system }, ...messages],
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function' as const,
        name,
        description,
        inputSchema: parameters,
      })),
      toolChoice: { type: 'auto' as const },
    }),
    ...(temperature !== undefined && { temperature }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
  };
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

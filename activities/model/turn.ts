import {
  type AssistantModelMessage,
  jsonSchema,
  type LanguageModelUsage,
  type ModelMessage,
  streamText,
  tool,
  type ToolSet,
} from 'ai';
import type { Usage } from '../../core/agent.js';
import type { GenerateCall, ToolCall } from '../../core/generation.js';
import type { Json } from '../../core/task.js';
import type { Model } from './model.js';

export interface Turn {
  text: string;
  toolCalls: ToolCall[];
  finishReason: string;
  usage: Usage;
  /** The model's own messages, to be given back to it in the next turn. */
  messages: AssistantModelMessage[];
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
 * One turn of a model through the AI SDK, without retries: those are Temporal's. Throws the provider's
 * error, the reason of an abort, or {@link ModelOutputError}. Tool calls are returned and never executed.
 */
export async function streamTurn(
  model: Model,
  call: GenerateCall,
  messages: ModelMessage[],
  signal: AbortSignal,
  onText: (text: string) => void,
): Promise<Turn> {
  const result = streamText({
    model,
    messages,
    ...(call.system !== undefined && { system: call.system }),
    tools: toolSet(call.tools ?? []),
    ...(call.temperature !== undefined && { temperature: call.temperature }),
    ...(call.maxOutputTokens !== undefined && { maxOutputTokens: call.maxOutputTokens }),
    maxRetries: 0,
    abortSignal: signal,
    // Without this the SDK would fetch URLs that a client put into its message.
    experimental_download: async (files) => files.map(() => null),
    // Errors are thrown below; the SDK's default also prints them.
    onError: () => undefined,
  });
  let text = '';
  const toolCalls: ToolCall[] = [];
  let finish: { reason: string; usage: LanguageModelUsage } | undefined;
  for await (const part of result.fullStream) {
    switch (part.type) {
      case 'text-delta':
        text += part.text;
        onText(part.text);
        break;
      case 'tool-call':
        toolCalls.push({ id: part.toolCallId, name: part.toolName, input: part.input as Json });
        break;
      case 'finish-step':
        // A provider that never said why it finished did not: its stream broke off.
        if (part.rawFinishReason !== undefined) finish = { reason: part.finishReason, usage: part.usage };
        break;
      case 'error':
        throw part.error;
      case 'abort':
        signal.throwIfAborted();
        break;
      default:
      // Reasoning, sources and the SDK's own progress are not shown.
    }
  }
  if (!finish) throw new ModelOutputError('broke off its answer');
  // The SDK gives a tool's input as a string where it is not JSON.
  if (toolCalls.some(({ input }) => typeof input === 'string')) {
    const cutOff = finish.reason === 'length';
    throw new ModelOutputError(
      cutOff
        ? 'was cut off in a tool call: its output limit is too low'
        : 'called a tool with input that is no JSON object',
      !cutOff,
    );
  }
  const { messages: answer } = await result.response;
  return {
    text,
    toolCalls,
    finishReason: finish.reason,
    usage: usageOf(model.modelId, finish.usage),
    messages: answer.filter((message) => message.role === 'assistant'),
  };
}

function toolSet(tools: NonNullable<GenerateCall['tools']>): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, parameters }) => [
      name,
      // No `execute`: the agent runs its tools itself, as workflow code.
      tool({ description, inputSchema: jsonSchema(parameters) }),
    ]),
  );
}

/** A17. Providers that leave a figure out count as zero. */
function usageOf(model: string, usage: LanguageModelUsage): Usage {
  const inputTokens = usage.inputTokens ?? 0;
  const outputTokens = usage.outputTokens ?? 0;
  return {
    model,
    inputTokens,
    outputTokens,
    cachedInputTokens: usage.inputTokenDetails.cacheReadTokens ?? 0,
    cacheCreationInputTokens: usage.inputTokenDetails.cacheWriteTokens ?? 0,
    totalTokens: inputTokens + outputTokens,
  };
}

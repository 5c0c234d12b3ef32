import { type Frame, pieces, type Protocol } from '../model-server.js';

/** What tests look at in a request. */
export interface ChatBody {
  model: string;
  stream: boolean;
  messages: { role: string; content: unknown; tool_calls?: unknown; tool_call_id?: string }[];
  tools?: { function: { name: string; description: string; parameters: unknown } }[];
  [key: string]: unknown;
}

/** OpenAI's chat completions. */
export function chatProtocol(): Protocol {
  return {
    begin: ({ thoughts }) => [
      chunk({ role: 'assistant', content: '' }),
      ...(thoughts ? [chunk({ reasoning_content: thoughts.text })] : []),
    ],
    token: (text) => [chunk({ content: text })],
    toolCalls: ({ toolCalls = [] }) =>
      toolCalls.flatMap(({ name, arguments: input }, index) => [
        chunk({
          tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name, arguments: '' } }],
        }),
        ...pieces(input).map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ]),
    end({ toolCalls = [], cutOff = false, usage }) {
      const reason = toolCalls.length > 0 ? 'tool_calls' : 'stop';
      return [chunk({}, cutOff ? 'length' : reason), ...(usage ? [usageChunk(usage)] : []), '[DONE]'];
    },
    fault: ({ code, message }) => ({ error: { message, type: code, code: null } }),
  };
}

function usageChunk({ input, output, cached }: { input: number; output: number; cached?: number }): Frame {
  const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
  return {
    ...(chunk({}) as object),
    choices: [],
    usage: { ...usage, ...(cached !== undefined && { prompt_tokens_details: { cached_tokens: cached } }) },
  };
}

function chunk(delta: object, finishReason: string | null = null): Frame {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'test-model-2025',
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  };
}

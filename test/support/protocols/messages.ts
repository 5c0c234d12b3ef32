import { type Frame, pieces, type Protocol, type Speech } from '../model-server.js';

/** What tests look at in a request. */
export interface MessagesBody {
  model: string;
  stream: boolean;
  max_tokens: number;
  system?: unknown;
  messages: { role: string; content: { type: string; [key: string]: unknown }[] }[];
  [key: string]: unknown;
}

/** Anthropic's Messages. */
export function messagesProtocol(): Protocol {
  /** Of the content blocks. */
  let index = 0;
  let inText = false;
  const start = (content_block: object): Frame => ({ type: 'content_block_start', index, content_block });
  const delta = (fields: object): Frame => ({ type: 'content_block_delta', index, delta: fields });
  const stop = (): Frame => ({ type: 'content_block_stop', index: index++ });

  return {
    begin({ thoughts, usage }) {
      const message = {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'test-model-2025',
        content: [],
        stop_reason: null,
        usage: inputUsage(usage),
      };
      const thinking = thoughts && [
        start({ type: 'thinking', thinking: '', signature: '' }),
        delta({ type: 'thinking_delta', thinking: thoughts.text }),
        delta({ type: 'signature_delta', signature: thoughts.mark }),
        stop(),
      ];
      return [{ type: 'message_start', message }, { type: 'ping' }, ...(thinking ?? [])];
    },
    token(text) {
      const first = !inText;
      inText = true;
      return [...(first ? [start({ type: 'text', text: '' })] : []), delta({ type: 'text_delta', text })];
    },
    toolCalls({ toolCalls = [] }) {
      const frames = inText ? [stop()] : [];
      for (const [at, { name, arguments: input }] of toolCalls.entries()) {
        frames.push(start({ type: 'tool_use', id: `call_${at}`, name, input: {} }));
        for (const piece of pieces(input))
          frames.push(delta({ type: 'input_json_delta', partial_json: piece }));
        frames.push(stop());
      }
      return frames;
    },
    end({ toolCalls = [], cutOff = false, usage }) {
      const reason = toolCalls.length > 0 ? 'tool_use' : 'end_turn';
      return [
        {
          type: 'message_delta',
          delta: { stop_reason: cutOff ? 'max_tokens' : reason, stop_sequence: null },
          usage: { output_tokens: usage?.output ?? 0 },
        },
        { type: 'message_stop' },
      ];
    },
    fault: ({ code, message }) => ({ type: 'error', error: { type: code, message } }),
  };
}

/** Anthropic counts what it reads from and writes to its cache beside the other input. */
function inputUsage(
  { input, cached = 0, cacheCreation = 0 }: NonNullable<Speech['usage']> = { input: 0, output: 0 },
) {
  return {
    input_tokens: input - cached - cacheCreation,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: cacheCreation,
    output_tokens: 1,
  };
}

import { type Frame, pieces, type Protocol, type Speech } from '../model-server.js';

/** What tests look at in a request. */
export interface ResponsesBody {
  model: string;
  stream: boolean;
  store: boolean;
  input: { type?: string; role?: string; [key: string]: unknown }[];
  [key: string]: unknown;
}

/** OpenAI's Responses. */
export function responsesProtocol(): Protocol {
  let sequence = 0;
  /** Of the output items. */
  let index = 0;
  let text: string | undefined;
  const frame = (type: string, fields: object): Frame => ({ type, sequence_number: sequence++, ...fields });
  const item = (kind: 'added' | 'done', fields: object): Frame =>
    frame(`response.output_item.${kind}`, { output_index: index, item: fields });

  return {
    begin({ thoughts }) {
      const response = {
        id: 'resp_1',
        object: 'response',
        created_at: 1_700_000_000,
        model: 'test-model-2025',
      };
      const frames = [frame('response.created', { response }), frame('response.in_progress', { response })];
      if (thoughts) frames.push(...reasoning(thoughts));
      return frames;
    },
    token(delta) {
      const first = text === undefined;
      text = (text ?? '') + delta;
      return [
        ...(first ? [item('added', { type: 'message', id: 'msg_1', role: 'assistant', content: [] })] : []),
        frame('response.output_text.delta', {
          item_id: 'msg_1',
          output_index: index,
          content_index: 0,
          delta,
        }),
      ];
    },
    toolCalls({ toolCalls = [] }) {
      return [...endOfText(), ...toolCalls.flatMap((call, at) => functionCall(call, at))];
    },
    end({ usage, cutOff = false }) {
      const type = cutOff ? 'response.incomplete' : 'response.completed';
      const incomplete_details = cutOff ? { reason: 'max_output_tokens' } : null;
      return [frame(type, { response: { incomplete_details, usage: usageOf(usage) } })];
    },
    fault: ({ code, message }) => frame('error', { code, message, param: null }),
  };

  function reasoning({ text: summary, mark }: NonNullable<Speech['thoughts']>): Frame[] {
    const about = { item_id: 'rs_1', output_index: index, summary_index: 0 };
    const frames = [
      item('added', { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: null }),
      frame('response.reasoning_summary_part.added', { ...about, part: { type: 'summary_text', text: '' } }),
      frame('response.reasoning_summary_text.delta', { ...about, delta: summary }),
      frame('response.reasoning_summary_part.done', {
        ...about,
        part: { type: 'summary_text', text: summary },
      }),
      item('done', {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: summary }],
        encrypted_content: mark,
      }),
    ];
    index += 1;
    return frames;
  }

  function endOfText(): Frame[] {
    if (text === undefined) return [];
    const content = [{ type: 'output_text', text, annotations: [] }];
    const frames = [item('done', { type: 'message', id: 'msg_1', role: 'assistant', content })];
    index += 1;
    return frames;
  }

  function functionCall(
    { name, arguments: input }: { name: string; arguments: string },
    at: number,
  ): Frame[] {
    const call = { type: 'function_call', id: `fc_${at}`, call_id: `call_${at}`, name };
    const about = { item_id: call.id, output_index: index };
    const frames = [
      item('added', { ...call, arguments: '', status: 'in_progress' }),
      ...pieces(input).map((delta) => frame('response.function_call_arguments.delta', { ...about, delta })),
      frame('response.function_call_arguments.done', { ...about, arguments: input }),
      item('done', { ...call, arguments: input, status: 'completed' }),
    ];
    index += 1;
    return frames;
  }
}

function usageOf(usage: Speech['usage']): object | null {
  if (!usage) return null;
  return {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: usage.cached ?? 0 },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: usage.input + usage.output,
  };
}

import type { ToolCall } from '../../core/generation.js';
import type { Json } from '../../core/task.js';
import type { AssistantContent, StreamPart } from './model.js';

type ContentPart = AssistantContent[number];
type Block = Extract<ContentPart, { type: 'text' | 'reasoning' }>;
type BlockPart = Extract<StreamPart, { type: `${Block['type']}-${'start' | 'delta' | 'end'}` }>;

/**
 * Puts a model's answer together from what it streams, as the model is to see it in its next turn: its text and
 * thoughts, the tools it called, and the provider's own marks on each, such as signatures.
 */
export class Answer {
  readonly toolCalls: ToolCall[] = [];
  /** A tool was called with input that is not JSON, or is text. Such a call is in no list. */
  hasUnreadableCall = false;
  readonly #content: ContentPart[] = [];
  /** Text and thoughts that have begun and not ended. */
  readonly #open = new Map<string, Block>();

  get text(): string {
    return this.#content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  }

  /** In the order in which its parts began. */
  get content(): AssistantContent {
    return this.#content.filter(
      (part) => !('text' in part) || part.text !== '' || part.providerOptions !== undefined,
    );
  }

  add(part: StreamPart): void {
    switch (part.type) {
      case 'text-start':
      case 'text-delta':
      case 'text-end':
        this.#extend('text', part);
        break;
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end':
        this.#extend('reasoning', part);
        break;
      case 'tool-call':
        this.#addToolCall(part);
        break;
      case 'file':
        this.#content.push({
          type: 'file',
          mediaType: part.mediaType,
          data: base64(part.data),
          ...marks(part),
        });
        break;
      default:
      // Sources and progress are not shown to the model again.
    }
  }

  #extend(type: Block['type'], part: BlockPart): void {
    const key = `${type} ${part.id}`;
    const open = this.#open.get(key);
    const block: Block = open ?? { type, text: '' };
    if (open === undefined) {
      this.#open.set(key, block);
      this.#content.push(block);
    }
    if ('delta' in part) block.text += part.delta;
    // The newest marks are the whole ones: a signature comes with the last delta or the end.
    Object.assign(block, marks(part));
    if (part.type === `${type}-end`) this.#open.delete(key);
  }

  #addToolCall(call: Extract<StreamPart, { type: 'tool-call' }>): void {
    const { toolCallId, toolName } = call;
    const input = toolInput(call.input);
    if (input === undefined) {
      this.hasUnreadableCall = true;
      return;
    }
    this.toolCalls.push({ id: toolCallId, name: toolName, input });
    this.#content.push({ type: 'tool-call', toolCallId, toolName, input, ...marks(call) });
  }
}

/** Undefined where it is not JSON, or is text. For a tool without parameters models leave it empty. */
function toolInput(input: string): Json | undefined {
  if (input.trim() === '') return {};
  try {
    const value = JSON.parse(input) as Json;
    return typeof value === 'string' ? undefined : value;
  } catch {
    return undefined;
  }
}

/** A provider's marks on what it said go back to it as options. */
function marks({ providerMetadata }: { providerMetadata?: ContentPart['providerOptions'] }) {
  return providerMetadata === undefined ? {} : { providerOptions: providerMetadata };
}

/** What is kept in the journal is JSON. */
function base64(data: string | Uint8Array): string {
  return typeof data === 'string' ? data : Buffer.from(data).toString('base64');
}

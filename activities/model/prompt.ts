import type {
  LanguageModelV3FilePart as FilePart,
  LanguageModelV3TextPart as TextPart,
  LanguageModelV3ToolResultPart as ToolResultPart,
} from '@ai-sdk/provider';
import type { ToolResult } from '../../core/generation.js';
import type { Part, Role } from '../../core/task.js';
import type { AssistantContent, ModelMessage } from './model.js';
import type { TranscriptEntry } from './transcript.js';

/** A transcript as the AI SDK takes it. */
export function modelMessages(entries: TranscriptEntry[]): ModelMessage[] {
  return entries.flatMap((entry): ModelMessage[] => {
    switch (entry.kind) {
      case 'opening':
        return entry.messages.flatMap(openingMessage);
      case 'results':
        return [{ role: 'tool', content: entry.data.map(toolResult) }];
      case 'answer':
        return assistantMessage(entry.data.content);
      case 'correction':
        return [{ role: 'user', content: [text(correction(entry.data))] }];
      case 'failed':
        return [];
    }
  });
}

function openingMessage({ role, parts }: { role: Role; parts: Part[] }): ModelMessage[] {
  // Some models refuse a text that is empty, and a message without content.
  const content = parts.map(modelPart).filter((part) => part.type !== 'text' || part.text !== '');
  if (content.length === 0) return [];
  if (role === 'ROLE_USER') return [{ role: 'user', content }];
  // Most models take no files from an assistant; that one was sent they can be told.
  return assistantMessage(
    content.map((part) => (part.type === 'text' ? part : mention(part.filename, part.mediaType))),
  );
}

function assistantMessage(content: AssistantContent): ModelMessage[] {
  return content.length === 0 ? [] : [{ role: 'assistant', content }];
}

/**
 * Pictures and documents go to the model as files, text and data as text. A URL is handed on and never
 * fetched by this server: the client chose it.
 */
function modelPart(part: Part): TextPart | FilePart {
  if ('text' in part) return text(part.text);
  if ('data' in part) return text(JSON.stringify(part.data));
  const { filename, mediaType = 'application/octet-stream' } = part;
  const named = filename === undefined ? {} : { filename };
  if ('url' in part) {
    const picture = mediaType.startsWith('image/') && URL.canParse(part.url);
    return picture
      ? { type: 'file', data: new URL(part.url), mediaType, ...named }
      : mention(filename, part.url);
  }
  if ('raw' in part) {
    const readable = mediaType.startsWith('text/') || mediaType === 'application/json';
    if (readable) return text(Buffer.from(part.raw, 'base64').toString('utf8'));
    return { type: 'file', data: part.raw, mediaType, ...named };
  }
  throw new Error('the journal gave a blob reference instead of its content');
}

function mention(filename: string | undefined, what: string): TextPart {
  return text(filename === undefined ? `[file: ${what}]` : `[file ${filename}: ${what}]`);
}

function text(value: string): TextPart {
  return { type: 'text', text: value };
}

function correction(problem: string): string {
  return `Your answer does not have the form that was asked for: ${problem}. Answer again, with JSON only.`;
}

function toolResult({ id, name, output, failed = false }: ToolResult): ToolResultPart {
  return {
    type: 'tool-result',
    toolCallId: id,
    toolName: name,
    output:
      typeof output === 'string'
        ? { type: failed ? 'error-text' : 'text', value: output }
        : { type: failed ? 'error-json' : 'json', value: output },
  };
}

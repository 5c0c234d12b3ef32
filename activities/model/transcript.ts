import type {
  AssistantModelMessage,
  FilePart,
  ModelMessage,
  TextPart,
  ToolModelMessage,
  UserModelMessage,
} from 'ai';
import type { GenerateCall, GenerateResult, ToolResult } from '../../core/generation.js';
import type { Journal } from '../../core/journal.js';
import type { Json, Message, Part } from '../../core/task.js';

/**
 * The model's own view of a conversation, kept in the journal so that a turn costs Temporal's history the
 * same however long the conversation is. One entry a step: what opens it (the context's earlier
 * conversation and the prompt), the model's answer, its tools' results, the next answer and so on.
 */
export interface TranscriptEntry {
  /** In the AI SDK's words, as plain JSON, so that a provider's own marks on its messages survive. */
  messages: ModelMessage[];
  /** The finished turn that wrote this entry, so that a lost result is not paid for twice. */
  turn?: { key: string; result: GenerateResult };
}

export type TranscriptJournal = Pick<Journal, 'putTranscript' | 'readTranscript' | 'readContext' | 'readAny'>;

/**
 * Records what this turn adds before the model answers: the opening on position 0, tool results after
 * that. Gives all messages that the model should see, and the answer's position.
 */
export async function openTurn(
  journal: TranscriptJournal,
  call: GenerateCall,
): Promise<{ messages: ModelMessage[]; answerAt: number }> {
  const { taskId, conversation, position } = call;
  const earlier = position === 0 ? [] : await readEntries(journal, taskId, conversation);
  const added = position === 0 ? await opening(journal, call) : [toolMessage(call.toolResults ?? [])];
  await journal.putTranscript(taskId, conversation, position, { messages: added } satisfies TranscriptEntry);
  // A turn that is tried again must not see what its earlier attempt left behind.
  const messages = earlier.slice(0, position).flatMap((entry) => entry.messages);
  return { messages: [...messages, ...added], answerAt: position + 1 };
}

export async function readEntries(
  journal: Pick<Journal, 'readTranscript'>,
  taskId: string,
  conversation: string,
): Promise<TranscriptEntry[]> {
  return (await journal.readTranscript(taskId, conversation)) as TranscriptEntry[];
}

async function opening(journal: TranscriptJournal, call: GenerateCall): Promise<ModelMessage[]> {
  const asked: Part[] = [...(call.prompt ?? []), ...(call.data === undefined ? [] : [{ data: call.data }])];
  const prompt: UserModelMessage = { role: 'user', content: asked.map(userPart) };
  return [...(await history(journal, call)).flatMap(historyMessage), prompt];
}

/** Earlier turns of the context (A11), the newest `history.length` of them (A12). */
async function history(journal: TranscriptJournal, call: GenerateCall): Promise<Message[]> {
  if (!call.history?.include || call.history.length === 0) return [];
  const stored = await journal.readAny(call.taskId, { historyLength: 0, artifacts: false });
  if (!stored) return [];
  const scope = { ...stored.caller, agent: stored.agent };
  const messages = await journal.readContext(scope, call.contextId, { taskId: call.taskId });
  return call.history.length === undefined ? messages : messages.slice(-call.history.length);
}

function historyMessage({ role, parts }: Message): ModelMessage[] {
  if (parts.length === 0) return [];
  if (role === 'ROLE_USER') return [{ role: 'user', content: parts.map(userPart) }];
  const content = parts.map(userPart).map((part): TextPart => (part.type === 'text' ? part : mention(part)));
  return [{ role: 'assistant', content } satisfies AssistantModelMessage];
}

/**
 * Pictures and documents go to the model as files, text and data as text. A URL is handed on, never
 * fetched by this server: the client chose it.
 */
function userPart(part: Part): TextPart | FilePart {
  if ('text' in part) return text(part.text);
  if ('data' in part) return text(JSON.stringify(part.data));
  const mediaType = part.mediaType ?? 'application/octet-stream';
  const named = part.filename === undefined ? {} : { filename: part.filename };
  if ('url' in part) {
    if (mediaType.startsWith('image/') && URL.canParse(part.url)) {
      return { type: 'file', data: part.url, mediaType, ...named };
    }
    return text(`[file${part.filename === undefined ? '' : ` ${part.filename}`}: ${part.url}]`);
  }
  if ('raw' in part) {
    if (mediaType.startsWith('text/') || mediaType === 'application/json') {
      return text(Buffer.from(part.raw, 'base64').toString('utf8'));
    }
    return { type: 'file', data: part.raw, mediaType, ...named };
  }
  throw new Error('a blob reference must be resolved before it is given to a model');
}

/** What an agent sent earlier cannot be shown to most models again; that it was sent can. */
function mention(file: FilePart): TextPart {
  return text(`[file${file.filename === undefined ? '' : ` ${file.filename}`}, ${file.mediaType}]`);
}

function text(value: string): TextPart {
  return { type: 'text', text: value };
}

function toolMessage(results: ToolResult[]): ToolModelMessage {
  return {
    role: 'tool',
    content: results.map(({ id, name, output, failed }) => ({
      type: 'tool-result',
      toolCallId: id,
      toolName: name,
      output: toolOutput(output, failed ?? false),
    })),
  };
}

function toolOutput(
  value: Json,
  failed: boolean,
): ToolModelMessage['content'][number] extends infer P
  ? P extends { type: 'tool-result'; output: infer O }
    ? O
    : never
  : never {
  if (typeof value === 'string') return { type: failed ? 'error-text' : 'text', value };
  return { type: failed ? 'error-json' : 'json', value };
}

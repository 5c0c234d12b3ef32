import type {
  ConversationSettings,
  GenerateCall,
  GenerateResult,
  ToolResult,
} from '../../core/generation.js';
import type { Journal } from '../../core/journal.js';
import type { Message, Part, Role } from '../../core/task.js';
import type { Usage } from '../../core/usage.js';
import type { AssistantContent } from './model.js';

/**
 * The model's view of a conversation, kept in the journal so that a turn costs Temporal's history the same
 * however long the conversation is. The entries of one `generate` are: what opens it, the model's answer, its
 * tools' results, the next answer, and so on.
 */
export type TranscriptEntry =
  /** Position 0: the context's earlier conversation, then the prompt; and what holds for all turns. */
  | { kind: 'opening'; messages: { role: Role; parts: Part[] }[]; data: ConversationSettings }
  /** `data`, as everywhere in the journal, is content whatever it looks like. */
  | { kind: 'results'; data: ToolResult[] }
  /** What is wrong with the answer before. */
  | { kind: 'correction'; data: string }
  | { kind: 'answer'; data: RecordedAnswer }
  /** In the answer's place until there is one: what failed attempts used. */
  | { kind: 'failed'; data: Usage };

interface RecordedAnswer {
  /** In the AI SDK's words, so that a provider's own marks on what it said come back to it. */
  content: AssistantContent;
  /** Of the activity that got this answer. */
  turnKey: string;
  /** What that activity reported, so that an answer whose report was lost is not paid for twice. */
  result: GenerateResult;
}

export type TranscriptJournal = Pick<Journal, 'putTranscript' | 'readTranscript' | 'readContext' | 'readAny'>;

export interface OpenTurn {
  /** All that the model should see, blobs put back. */
  entries: TranscriptEntry[];
  settings: ConversationSettings;
  /** By earlier attempts at this turn. */
  used: Usage | undefined;
}

/** Records what the model is asked in this turn: the opening on position 0, results or a correction after that. */
export async function openTurn(journal: TranscriptJournal, call: GenerateCall): Promise<OpenTurn> {
  const { taskId, conversation, position } = call;
  await journal.putTranscript(taskId, conversation, position, await newEntry(journal, call));
  const all = await readEntries(journal, call);
  const [first] = all;
  const last = all[position + 1];
  return {
    // A turn that is tried again must not see what its earlier attempt left behind.
    entries: all.slice(0, position + 1),
    settings: first?.kind === 'opening' ? first.data : {},
    used: last?.kind === 'failed' ? last.data : undefined,
  };
}

async function newEntry(journal: TranscriptJournal, call: GenerateCall): Promise<TranscriptEntry> {
  const {
    position,
    correction,
    toolResults = [],
    system,
    tools,
    temperature,
    maxOutputTokens,
    output,
  } = call;
  if (correction !== undefined) return { kind: 'correction', data: correction };
  if (position > 0) return { kind: 'results', data: toolResults };
  const settings = { system, tools, temperature, maxOutputTokens, output } as ConversationSettings;
  return { kind: 'opening', messages: await opening(journal, call), data: settings };
}

/** Records what a failed attempt used, for the one that succeeds to report. */
export async function noteUsage(
  journal: TranscriptJournal,
  { taskId, conversation, position }: GenerateCall,
  used: Usage,
): Promise<void> {
  const entry: TranscriptEntry = { kind: 'failed', data: used };
  await journal.putTranscript(taskId, conversation, position + 1, entry);
}

/** Records the answer, after which the turn is finished. */
export async function closeTurn(
  journal: TranscriptJournal,
  { taskId, conversation, position }: GenerateCall,
  data: RecordedAnswer,
): Promise<void> {
  const entry: TranscriptEntry = { kind: 'answer', data };
  await journal.putTranscript(taskId, conversation, position + 1, entry);
}

/** The result of an earlier attempt that recorded its answer and died before Temporal heard of it. */
export async function finishedTurn(
  journal: TranscriptJournal,
  call: GenerateCall,
  turnKey: string,
): Promise<GenerateResult | undefined> {
  const answer = (await readEntries(journal, call))[call.position + 1];
  return answer?.kind === 'answer' && answer.data.turnKey === turnKey ? answer.data.result : undefined;
}

async function readEntries(
  journal: TranscriptJournal,
  { taskId, conversation }: GenerateCall,
): Promise<TranscriptEntry[]> {
  return (await journal.readTranscript(taskId, conversation)) as TranscriptEntry[];
}

async function opening(
  journal: TranscriptJournal,
  call: GenerateCall,
): Promise<{ role: Role; parts: Part[] }[]> {
  const earlier = (await history(journal, call)).map(({ role, parts }) => ({ role, parts }));
  const data = call.data === undefined ? [] : [{ data: call.data }];
  return [...earlier, { role: 'ROLE_USER', parts: [...(call.prompt ?? []), ...data] }];
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

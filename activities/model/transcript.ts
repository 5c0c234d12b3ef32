import type { GenerateCall, GenerateResult, ToolResult } from '../../core/generation.js';
import type { Journal } from '../../core/journal.js';
import type { Message, Part, Role } from '../../core/task.js';
import type { AssistantContent } from './model.js';

/**
 * The model's view of a conversation, kept in the journal so that a turn costs Temporal's history the same
 * however long the conversation is. The entries of one `generate` are: what opens it, the model's answer, its
 * tools' results, the next answer, and so on.
 */
export type TranscriptEntry =
  /** Position 0: the context's earlier conversation, then the prompt. */
  | { kind: 'opening'; messages: { role: Role; parts: Part[] }[] }
  /** `data`, as everywhere in the journal, is content whatever it looks like. */
  | { kind: 'results'; data: ToolResult[] }
  | { kind: 'answer'; data: RecordedAnswer };

interface RecordedAnswer {
  /** In the AI SDK's words, so that a provider's own marks on what it said come back to it. */
  content: AssistantContent;
  /** Of the activity that got this answer. */
  turnKey: string;
  /** What that activity reported, so that an answer whose report was lost is not paid for twice. */
  result: GenerateResult;
}

export type TranscriptJournal = Pick<Journal, 'putTranscript' | 'readTranscript' | 'readContext' | 'readAny'>;

/**
 * Records what the model is asked in this turn: the opening on position 0, tool results after that. Gives
 * all that the model should see, blobs put back.
 */
export async function openTurn(journal: TranscriptJournal, call: GenerateCall): Promise<TranscriptEntry[]> {
  const { taskId, conversation, position } = call;
  const entry: TranscriptEntry =
    position === 0
      ? { kind: 'opening', messages: await opening(journal, call) }
      : { kind: 'results', data: call.toolResults ?? [] };
  await journal.putTranscript(taskId, conversation, position, entry);
  // A turn that is tried again must not see what its earlier attempt left behind.
  return (await readEntries(journal, call)).slice(0, position + 1);
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

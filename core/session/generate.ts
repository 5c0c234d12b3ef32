import { contentToMessage, type Generated, type GeneratedOutput, type GenerateOptions } from '../agent.js';
import type {
  ConversationSettings,
  GenerateCall,
  GenerateResult,
  ToolCall,
  ToolResult,
} from '../generation.js';
import { prefixedId } from '../ids.js';
import { outputForm, OutputMismatch, type OutputSchema, readOutput } from '../output.js';
import { INTERMEDIATE_THINKING } from '../record.js';
import { sumOfUsage, type Usage, usageOfFailure } from '../usage.js';
import type { Session } from './session.js';
import { AgentEnding, endingOf } from './endings.js';
import { checkInput } from './size.js';
import { addUsage, type SessionState } from './state.js';

const MAX_TURNS = 8;
/** How often an answer that is not of the asked form is given back to the model. */
const CORRECTIONS = 2;

type Options<T> = GenerateOptions & { output?: OutputSchema<T> };

/**
 * Model turns until one asks for no tool. Text before a tool call is closed as intermediate-thinking (B04);
 * the last text stays open, to become the answer when it is given to `complete`.
 */
export async function generate<T>(session: Session, options: Options<T>): Promise<GeneratedOutput<T>> {
  const { state } = session;
  const maxTurns = options.maxTurns ?? MAX_TURNS;
  let call = firstCall(session, `g${++state.conversations}`, options);
  let usage: Usage | undefined;
  let corrections = 0;
  for (let turn = 1; turn <= maxTurns + corrections; turn++) {
    const result = await takeTurn(session, call);
    usage = sumOfUsage(usage, result.usage);
    if (result.toolCalls.length > 0) {
      await closeThinking(session, call, result);
      const toolResults = await runTools(options, result.toolCalls);
      call = nextCall(session, call, turn, result, { toolResults });
      continue;
    }
    const { text, finishReason, streamed } = result;
    const artifactId = streamed ? call.artifact.artifactId : undefined;
    const generated: Generated = { text, finishReason, usage, artifactId };
    if (options.output === undefined) return generated as GeneratedOutput<T>;
    const { problem } = result;
    const outcome = problem === undefined ? readOutput(options.output, text) : { problem };
    if ('value' in outcome) return { ...generated, output: outcome.value };
    if (++corrections > CORRECTIONS) throw new OutputMismatch(outcome.problem);
    call = nextCall(session, call, turn, result, { correction: outcome.problem });
  }
  throw new AgentEnding(
    'TASK_STATE_FAILED',
    `The model asked for tools ${maxTurns} times without an answer.`,
  );
}

async function takeTurn({ state, runtime }: Session, call: GenerateCall): Promise<GenerateResult> {
  const { artifactId } = call.artifact;
  checkInput(call, 'An input of the model');
  // Open from now on: what a call that fails for good has streamed is closed as thinking later.
  state.openArtifacts.push(artifactId);
  const result = await runtime.generate(call).catch((error: unknown) => {
    const usage = usageOfFailure(error);
    if (usage !== undefined) addUsage(state, usage);
    throw error;
  });
  addUsage(state, result.usage);
  if (!result.streamed) forget(state, artifactId);
  return result;
}

/** What the model said before it called tools is no answer. */
async function closeThinking(
  { state, publisher }: Session,
  { artifact: { artifactId, name } }: GenerateCall,
  { streamed, text }: GenerateResult,
): Promise<void> {
  const metadata = { type: INTERMEDIATE_THINKING };
  if (streamed) {
    forget(state, artifactId);
    await publisher.publish([{ kind: 'close', artifactId, metadata }]);
  } else if (text !== '') {
    const artifact = { artifactId, name, parts: [{ text }], metadata };
    await publisher.publish([{ kind: 'artifact', artifact, append: false, lastChunk: true }]);
  }
}

function forget(state: SessionState, artifactId: string): void {
  state.openArtifacts = state.openArtifacts.filter((id) => id !== artifactId);
}

function firstCall<T>(session: Session, conversation: string, options: Options<T>): GenerateCall {
  const { start } = session.state;
  const length = start.options.historyLength;
  const chunks = options.output === undefined ? session.agent.streamArtifactChunks : false;
  return {
    taskId: start.taskId,
    contextId: start.contextId,
    ...(options.model !== undefined && { model: options.model }),
    conversation,
    position: 0,
    prompt: contentToMessage(options.prompt).parts,
    ...(options.data !== undefined && { data: options.data }),
    history: { include: options.history ?? true, ...(length !== undefined && { length }) },
    ...conversationSettings(options),
    artifact: newArtifact(session, conversation, 0, options.name ?? 'answer'),
    ...(chunks !== undefined && { chunks }),
  };
}

function conversationSettings<T>(options: Options<T>): ConversationSettings {
  const { system, tools = {}, temperature, maxOutputTokens, output } = options;
  return {
    ...(system !== undefined && { system }),
    tools: Object.entries(tools).map(([name, { description, parameters }]) => ({
      name,
      description,
      parameters,
    })),
    ...(temperature !== undefined && { temperature }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(output !== undefined && { output: outputForm(output) }),
  };
}

function nextCall(
  session: Session,
  { taskId, contextId, model, conversation, chunks, artifact }: GenerateCall,
  turn: number,
  { nextPosition }: GenerateResult,
  said: Pick<GenerateCall, 'toolResults' | 'correction'>,
): GenerateCall {
  return {
    taskId,
    contextId,
    ...(model !== undefined && { model }),
    conversation,
    position: nextPosition,
    ...said,
    artifact: newArtifact(session, conversation, turn, artifact.name),
    ...(chunks !== undefined && { chunks }),
  };
}

function newArtifact(
  session: Session,
  conversation: string,
  turn: number,
  name: string,
): GenerateCall['artifact'] {
  const { runtime } = session;
  return {
    artifactId: prefixedId('art', runtime.now(), runtime.uuid()),
    name,
    streamKey: `${conversation}.${turn}`,
  };
}

/** All calls of a turn at once. A tool that throws is told to the model, not to the caller. */
function runTools(options: GenerateOptions, calls: ToolCall[]): Promise<ToolResult[]> {
  return Promise.all(
    calls.map(async ({ id, name, input }): Promise<ToolResult> => {
      const tool = options.tools?.[name];
      if (!tool) return { id, name, output: `There is no tool ${name}.`, failed: true };
      try {
        return { id, name, output: await tool.execute(input) };
      } catch (error) {
        if (error instanceof AgentEnding || isCancellation(error)) throw error;
        const { content } = endingOf(error);
        return { id, name, output: typeof content === 'string' ? content : 'The tool failed.', failed: true };
      }
    }),
  );
}

/** Temporal's cancellation, and this server's own end of a task, must reach the session. */
function isCancellation(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ['CancelledFailure', 'TaskClosed'].includes(error.name) || isCancellation(error.cause);
}

import { contentToMessage, type Generated, type GenerateOptions } from '../agent.js';
import type { GenerateCall, GenerateResult, ToolCall, ToolResult } from '../generation.js';
import { prefixedId } from '../ids.js';
import { INTERMEDIATE_THINKING } from '../record.js';
import type { Session } from './session.js';
import { AgentEnding, endingOf } from './endings.js';
import { checkInput } from './size.js';
import { addUsage, type SessionState } from './state.js';

const MAX_TURNS = 8;

/**
 * Model turns until one asks for no tool. Text before a tool call is closed as intermediate-thinking (B04);
 * the last text stays open, to become the answer when it is given to `complete`.
 */
export async function generate(session: Session, options: GenerateOptions): Promise<Generated> {
  const { state, runtime, publisher } = session;
  const conversation = `g${++state.conversations}`;
  const maxTurns = options.maxTurns ?? MAX_TURNS;
  let call = firstCall(session, conversation, options);
  for (let turn = 1; turn <= maxTurns; turn++) {
    const { artifactId, name } = call.artifact;
    checkInput(call, 'An input of the model');
    // Open from now on: what a call that fails for good has streamed is closed as thinking later.
    state.openArtifacts.push(artifactId);
    const result = await runtime.generate(call);
    addUsage(state, result.usage);
    if (!result.streamed) forget(state, artifactId);
    if (result.toolCalls.length === 0) {
      const { text, finishReason, usage } = result;
      return { text, finishReason, usage, artifactId: result.streamed ? artifactId : undefined };
    }
    if (result.streamed) {
      forget(state, artifactId);
      await publisher.publish([{ kind: 'close', artifactId, metadata: { type: INTERMEDIATE_THINKING } }]);
    } else if (result.text !== '') {
      await publisher.publish([
        {
          kind: 'artifact',
          artifact: {
            artifactId,
            name,
            parts: [{ text: result.text }],
            metadata: { type: INTERMEDIATE_THINKING },
          },
          append: false,
          lastChunk: true,
        },
      ]);
    }
    call = nextCall(session, call, turn, result, await runTools(options, result.toolCalls));
  }
  throw new AgentEnding(
    'TASK_STATE_FAILED',
    `The model asked for tools ${maxTurns} times without an answer.`,
  );
}

function forget(state: SessionState, artifactId: string): void {
  state.openArtifacts = state.openArtifacts.filter((id) => id !== artifactId);
}

function firstCall(session: Session, conversation: string, options: GenerateOptions): GenerateCall {
  const { start } = session.state;
  const length = start.options.historyLength;
  return {
    taskId: start.taskId,
    contextId: start.contextId,
    ...(options.model !== undefined && { model: options.model }),
    ...(options.system !== undefined && { system: options.system }),
    conversation,
    position: 0,
    prompt: contentToMessage(options.prompt).parts,
    ...(options.data !== undefined && { data: options.data }),
    history: { include: options.history ?? true, ...(length !== undefined && { length }) },
    tools: Object.entries(options.tools ?? {}).map(([name, tool]) => ({
      name,
      description: tool.description,
      parameters: tool.parameters,
    })),
    artifact: newArtifact(session, conversation, 0, options.name ?? 'answer'),
    ...(session.agent.streamArtifactChunks !== undefined && { chunks: session.agent.streamArtifactChunks }),
    ...(options.temperature !== undefined && { temperature: options.temperature }),
    ...(options.maxOutputTokens !== undefined && { maxOutputTokens: options.maxOutputTokens }),
  };
}

function nextCall(
  session: Session,
  call: GenerateCall,
  turn: number,
  result: GenerateResult,
  toolResults: ToolResult[],
): GenerateCall {
  const { prompt: _prompt, data: _data, history: _history, ...same } = call;
  const artifact = newArtifact(session, call.conversation, turn, call.artifact.name);
  return { ...same, position: result.nextPosition, toolResults, artifact };
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

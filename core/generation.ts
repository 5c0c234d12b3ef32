import type { GenerateOptions, Usage } from './agent.js';
import type { Json, Part } from './task.js';

/**
 * One call of a model: one activity, one turn. The conversation so far is in the journal's transcript
 * (`putTranscript`), never in here, so that the bytes a turn adds to history do not grow with it.
 */
export interface GenerateCall {
  taskId: string;
  contextId: string;
  /** Model name, or undefined for the server's default. */
  model?: string;
  system?: string;
  /** Transcript that this turn continues: unique in the task, such as `g1`. */
  conversation: string;
  /** Position of this turn's first entry; 0 starts the transcript. */
  position: number;
  /** On position 0: what the agent asks. */
  prompt?: Part[];
  data?: Json;
  /** On position 0: put the context's earlier conversation before the prompt, newest n entries. */
  history?: { include: boolean; length?: number };
  /** After a turn with tool calls: their results, in the calls' order. */
  toolResults?: ToolResult[];
  tools?: ToolDescription[];
  /** The artifact into which text streams, and the prefix of its fragments' keys. */
  artifact: { artifactId: string; name: string; streamKey: string };
  /**
   * False: no fragments are recorded; the caller publishes the text when it is whole. Absent: as the
   * worker's `STREAM_ARTIFACTS` setting says (B12).
   */
  chunks?: boolean;
  temperature?: number;
  maxOutputTokens?: number;
}

export interface ToolDescription {
  name: string;
  description: string;
  /** JSON Schema. */
  parameters: NonNullable<GenerateOptions['tools']>[string]['parameters'];
}

export interface ToolCall {
  id: string;
  name: string;
  input: Json;
}

export interface ToolResult {
  id: string;
  name: string;
  output: Json;
  /** The tool threw; `output` is its safe message. */
  failed?: boolean;
}

export interface GenerateResult {
  text: string;
  toolCalls: ToolCall[];
  finishReason: string;
  usage: Usage;
  /** Where the next turn's entries begin. */
  nextPosition: number;
  /** True where fragments were recorded, so that the artifact is open now. */
  streamed: boolean;
}

import type { GenerateOptions } from './agent.js';
import type { Json, Part } from './task.js';
import type { Usage } from './usage.js';

/**
 * One call of a model: one activity, one turn. The conversation so far is in the journal's transcript
 * (`putTranscript`), never in here, so that the bytes a turn adds to history do not grow with it. What holds for the
 * whole conversation is in its first call only, and later turns find it in the transcript.
 */
export interface GenerateCall extends ConversationSettings {
  taskId: string;
  contextId: string;
  /** Model name, or undefined for the server's default. */
  model?: string;
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
  /** After an answer that is not of the asked form: what is wrong with it, as the model is to read it. */
  correction?: string;
  /** The artifact into which text streams, and the prefix of its fragments' keys. */
  artifact: { artifactId: string; name: string; streamKey: string };
  /**
   * False: no fragments are recorded; the caller publishes the text when it is whole. Absent: as the
   * worker's `STREAM_ARTIFACTS` setting says (B12).
   */
  chunks?: boolean;
}

/** What holds for all turns of a conversation; given on position 0. */
export interface ConversationSettings {
  system?: string;
  tools?: ToolDescription[];
  temperature?: number;
  maxOutputTokens?: number;
  /** The answer is to be JSON of this form. */
  output?: OutputForm;
}

export interface OutputForm {
  /** JSON Schema. */
  schema: JsonSchema;
  /** The agent checks the answer itself, by what the schema was made from. */
  checkedByAgent?: boolean;
}

export type JsonSchema = { [key: string]: Json };

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
  /** Where an output form was asked for: the answer's JSON, without what a model may have put around it. */
  text: string;
  /** Why the answer is not of the asked form, as the model is to read it. */
  problem?: string;
  toolCalls: ToolCall[];
  finishReason: string;
  /** Of this turn, earlier attempts included as far as their use is known. */
  usage: Usage;
  /** Where the next turn's entries begin. */
  nextPosition: number;
  /** True where fragments were recorded, so that the artifact is open now. */
  streamed: boolean;
}

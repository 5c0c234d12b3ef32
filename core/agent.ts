import { checkCard, type AgentCardDetails, type AgentExtension } from './agent-card.js';
import type { Duration } from './duration.js';
import type { AgentMessage } from './journal.js';
import type { OutputSchema } from './output.js';
import type { Json, Message, Metadata, Part, Task } from './task.js';
import type { Usage } from './usage.js';
import { isPart } from './well-formed.js';

/** Content that an agent gives: plain text, or parts. */
export type Content = string | Part[];

/** Any schema library that follows Standard Schema v1 (zod does); validation must be synchronous. */
export interface Schema<T> {
  '~standard': {
    validate(
      value: unknown,
    ): { value: T; issues?: undefined } | { issues: readonly SchemaIssue[] } | Promise<unknown>;
  };
}

export interface SchemaIssue {
  message: string;
  path?: readonly (PropertyKey | { key: PropertyKey })[] | undefined;
}

export interface AskOptions {
  /** How long to wait; then the ask throws `AskTimeout`. Default: for ever. */
  timeout?: Duration;
  metadata?: Metadata;
}

export interface AuthRequest {
  /** Which connector needs it; shown to the person. */
  connector: string;
  /** Where to authorise. */
  url: string;
  /** Waiting ends then and the task fails. Default 1 hour. */
  timeout?: Duration;
}

export interface ArtifactInput {
  /**
   * An artifact of this task, which is replaced, or extended where `append` is set; one that is not there yet
   * begins under this id. Default: a new artifact with an id of its own.
   */
  artifactId?: string;
  append?: boolean;
  name?: string;
  description?: string;
  /** Text, or parts. */
  content: Content;
  metadata?: Metadata;
}

/** An artifact under way: appended by each write, closed with its whole text. */
export interface ArtifactStream {
  readonly artifactId: string;
  /** Resolves when the fragment is recorded. */
  write(text: string): Promise<void>;
  close(): Promise<void>;
}

export interface Tool {
  description: string;
  /** JSON Schema of the arguments. */
  parameters: { [key: string]: Json };
  /** Runs in the agent: it may call activities, ask, or sleep. */
  execute(input: Json): Promise<Json> | Json;
}

export interface GenerateOptions {
  prompt: Content;
  /** The model's instructions. */
  system?: string;
  /** A configured model's name; default the server's default model. */
  model?: string;
  /** Data to answer from; given to the model as JSON after the prompt. */
  data?: Json;
  tools?: Record<string, Tool>;
  /** Most model calls that tools may cause. Default 8. */
  maxTurns?: number;
  /** Include the context's earlier conversation (A11). Default true. */
  history?: boolean;
  /** Of the artifact that the text streams into. Default `answer`. */
  name?: string;
  temperature?: number;
  maxOutputTokens?: number;
}

/** The model's final text. Give it to `complete` whole: its streamed artifact becomes the answer. */
export interface Generated {
  text: string;
  artifactId: string | undefined;
  finishReason: string;
  /** Of all turns of this `generate`. */
  usage: Usage;
}

/** An answer of an asked form. Given to `complete` it becomes a data part. */
export interface GeneratedOutput<T> extends Generated {
  output: T;
}

export interface ActivityCallOptions {
  /** One attempt's limit. Default 10 minutes. */
  startToCloseTimeout?: Duration;
  /** Attempts in all; default 5. 1 turns retries off. */
  maximumAttempts?: number;
}

/** Given to an agent's own activity as its second argument. */
export interface ActivityContext {
  taskId: string;
  /** Aborted when the task is cancelled or the worker shuts down. Heartbeats are sent for you. */
  signal: AbortSignal;
  /** From 1. */
  attempt: number;
  /** The same on every attempt of this call: give it to services that can deduplicate by it. */
  idempotencyKey: string;
  /** A message of the task with the content of its parts over 64 KiB, which the agent has as references. */
  read(message: Message): Promise<Message>;
}

export type ActivityFunction = (input: never, context: ActivityContext) => Promise<unknown>;

/** The functions of an `*.activities.ts` file as the agent calls them: the context is left out. */
export type ActivityCalls<T> = {
  [K in keyof T]: T[K] extends (...args: infer A) => Promise<infer R>
    ? A extends [infer I, ...unknown[]]
      ? (input: I) => Promise<R>
      : () => Promise<R>
    : never;
};

/**
 * The task, as the agent's `run` sees it. `run` is workflow code: it may be replayed after a crash, so
 * time, randomness and I/O come only from here and from activities. Anything it throws ends the task in
 * FAILED with a safe message.
 */
export interface TaskContext {
  readonly id: string;
  readonly contextId: string;
  /** The message that started the task. */
  readonly message: Message;
  /**
   * Its text, but for big parts: those over 64 KiB, and the biggest of a message that has over 256 KiB altogether,
   * are references here, and `read` gives their content.
   */
  readonly text: string;
  readonly metadata: Metadata;
  readonly acceptedOutputModes: readonly string[];
  /**
   * A message, by default the first one, with the content of parts over 64 KiB. It enters the workflow's
   * history, so above 1 MiB it fails: have an activity read it (`ActivityContext.read`), or give its parts to
   * `generate` or an artifact as they are.
   */
  read(message?: Message): Promise<Message>;
  /** Tasks that the message refers to, all of them the caller's own (A10). */
  references(): Promise<Task[]>;
  /** Earlier messages and final artifacts of this context, oldest first (A11). */
  conversation(): Promise<Message[]>;
  /** The clock: milliseconds since the epoch, the same on replay. */
  now(): number;
  /** A UUID, the same on replay. */
  uuid(): string;

  /** Reports progress: WORKING with a message. */
  working(content: Content, metadata?: Metadata): Promise<void>;
  /** INPUT_REQUIRED until a reply comes; gives the reply's text. */
  ask(question: Content, options?: AskOptions): Promise<string>;
  /** As `ask`, and gives the whole reply. */
  askMessage(question: Content, options?: AskOptions): Promise<Message>;
  /** As `ask`, for data: a reply that does not fit the schema is asked again. Text is read as JSON if it is. */
  askFor<T>(question: Content, schema: Schema<T>, options?: AskOptions): Promise<T>;
  /** AUTH_REQUIRED until resolved; throws at expiry. */
  requireAuth(request: AuthRequest): Promise<void>;
  /** Follow-ups that came while working and that nothing has taken yet; takes them. */
  received(): Message[];
  /** Waits for the next such follow-up. */
  receive(options?: { timeout?: Duration }): Promise<Message>;

  /** A whole artifact at once; gives its id. */
  artifact(input: ArtifactInput): Promise<string>;
  /** An artifact written piece by piece. */
  stream(options?: { name?: string; description?: string; metadata?: Metadata }): ArtifactStream;
  /**
   * Calls the model for an answer of this form. It is not streamed. An answer that does not fit is shown to the model
   * with what is wrong, twice at most; then this throws {@link OutputMismatch}.
   */
  generate<T = Json>(options: GenerateOptions & { output: OutputSchema<T> }): Promise<GeneratedOutput<T>>;
  /** Calls the model; its text streams to the readers as an artifact. */
  generate(options: GenerateOptions): Promise<Generated>;
  /** The functions of this agent's `*.activities.ts` file. */
  activities<T>(options?: ActivityCallOptions): ActivityCalls<T>;
  /** A durable timer. */
  sleep(duration: Duration): Promise<void>;
  /** Work that holds the task in WORKING until it ends (E08). */
  background(description: string, work: () => Promise<void>): void;

  /**
   * A point from which a long job may go on in a fresh history. `run` then starts anew with this
   * state in `checkpointed`. Plain JSON only. Resolves when the job may go on.
   */
  checkpoint(state: Json): Promise<void>;
  /** What `checkpoint` was last given, or undefined on a first run. */
  readonly checkpointed: Json | undefined;

  /** Ends in COMPLETED. The answer becomes an artifact; a `Generated` one is the artifact already. */
  complete(
    answer?: Content | Generated,
    options?: { name?: string; message?: Content; metadata?: Metadata },
  ): Promise<void>;
  /** Answers directly, without a task (A03), where the agent's `answers` allows it. */
  reply(content: Content, metadata?: Metadata): Promise<void>;
  /** Ends in REJECTED. */
  reject(reason: Content): never;
  /** Ends in FAILED. */
  fail(reason: Content): never;
}

export interface AgentDefinition {
  /** The agent's name in addresses: lower-case letters, digits, `-`. */
  code: string;
  card: AgentCardDetails;
  /** A03. Default `task`. */
  answers?: 'task' | 'message' | 'either';
  /** False: readers get each artifact whole (B12). Default: the `STREAM_ARTIFACTS` setting. */
  streamArtifactChunks?: boolean;
  /**
   * What the card declares; what it does not is refused (section 3.3.4). They default to what the agent has:
   * streaming and push notifications are there, an extended card where `extendedCard` is.
   */
  capabilities?: { streaming?: boolean; pushNotifications?: boolean; extendedAgentCard?: boolean };
  /** Protocol extensions of its own, beside those of the server. */
  extensions?: AgentExtension[];
  /**
   * What callers with credentials read beyond the public card (section 3.1.11): its skills are added to the public
   * ones, its other fields replace them.
   */
  extendedCard?: Partial<AgentCardDetails>;
  run(task: TaskContext): Promise<void>;
}

const CODE = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** Checks the definition and gives it back. Throws a plain Error that names the field. */
export function defineAgent(definition: AgentDefinition): AgentDefinition {
  if (!CODE.test(definition.code)) {
    throw new Error(`agent code '${definition.code}': use lower-case letters, digits and '-', 63 at most`);
  }
  checkCard(definition);
  return definition;
}

/** Thrown by `ask` and `receive` when their timeout passes. */
export class AskTimeout extends Error {
  constructor() {
    super('No reply came in time');
    this.name = 'AskTimeout';
  }
}

/** Throws on what is neither text nor parts. */
export function contentToMessage(content: Content, metadata?: Metadata): AgentMessage {
  if (typeof content !== 'string' && !isParts(content))
    throw new TypeError('content is text or a list of parts');
  const parts: Part[] = typeof content === 'string' ? [{ text: content }] : content;
  return metadata === undefined ? { parts } : { parts, metadata };
}

function isParts(content: unknown): boolean {
  return Array.isArray(content) && content.every(isPart);
}

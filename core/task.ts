/**
 * The A2A 1.0 data model as it is kept inside: the ProtoJSON shapes of `a2a.proto`
 * (specification section 4.1), so that the v1 codec has nothing to convert.
 */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Metadata = { [key: string]: Json };

/** All eight states (section 4.1.3). `TASK_STATE_UNSPECIFIED` exists only as an input filter. */
export const TASK_STATES = [
  'TASK_STATE_SUBMITTED',
  'TASK_STATE_WORKING',
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_REJECTED',
  'TASK_STATE_AUTH_REQUIRED',
] as const;
export type TaskState = (typeof TASK_STATES)[number];

interface PartCommon {
  metadata?: Metadata;
  filename?: string;
  mediaType?: string;
}
export interface TextPart extends PartCommon {
  text: string;
}
/** `raw` is base64 (standard alphabet, padded). */
export interface RawPart extends PartCommon {
  raw: string;
}
export interface UrlPart extends PartCommon {
  url: string;
}
export interface DataPart extends PartCommon {
  data: Json;
}
/**
 * Content of more than 64 KiB, kept in the journal's blob table. Never leaves the server: the
 * journal puts the content back on every read. `field` names the content field that it stands for,
 * `size` is its length in bytes.
 */
export interface BlobPart extends PartCommon {
  blob: { id: string; field: 'text' | 'raw' | 'data'; size: number };
}
export type Part = TextPart | RawPart | UrlPart | DataPart | BlobPart;

export type Role = 'ROLE_USER' | 'ROLE_AGENT';

export interface Message {
  messageId: string;
  contextId?: string;
  taskId?: string;
  role: Role;
  parts: Part[];
  metadata?: Metadata;
  extensions?: string[];
  referenceTaskIds?: string[];
}

/** `timestamp` is ISO 8601 in UTC with milliseconds and `Z` (section 5.6.1). */
export interface TaskStatus {
  state: TaskState;
  message?: Message;
  timestamp: string;
}

export interface Artifact {
  artifactId: string;
  name?: string;
  description?: string;
  parts: Part[];
  metadata?: Metadata;
  extensions?: string[];
}

/** `history` is oldest first; every message in it has metadata `$timestamp` (A02). */
export interface Task {
  id: string;
  contextId: string;
  status: TaskStatus;
  artifacts?: Artifact[];
  history?: Message[];
  metadata?: Metadata;
}

export interface TaskStatusUpdateEvent {
  taskId: string;
  contextId: string;
  status: TaskStatus;
  metadata?: Metadata;
}

export interface TaskArtifactUpdateEvent {
  taskId: string;
  contextId: string;
  artifact: Artifact;
  append?: boolean;
  lastChunk?: boolean;
  metadata?: Metadata;
}

/** Exactly one of the four (section 3.2.3). */
export type StreamResponse =
  | { task: Task }
  | { message: Message }
  | { statusUpdate: TaskStatusUpdateEvent }
  | { artifactUpdate: TaskArtifactUpdateEvent };

/** The text of all text parts, joined by newlines; parts of other kinds are passed over. */
export function textOf(content: { parts: Part[] }): string {
  return content.parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n');
}

import type { Continuation, SendOptions, TaskQuery } from '../core/journal.js';
import type { NewPushConfig, PushConfig } from '../core/push.js';
import type { Message, Metadata, Task } from '../core/task.js';

/**
 * Requests and results in the core model's words: what every dialect decodes into and encodes from
 * (specification section 3.1). `tenant` is the request's own field, absent where it was empty.
 */

export interface SendRequest {
  tenant?: string;
  message: Message;
  options: SendOptions;
  /** Answer at once instead of when the task settles (section 3.2.2). */
  returnImmediately: boolean;
  /** A push notification configuration for the send's task. */
  push?: NewPushConfig;
  /** Which task it may belong to, where the dialect does not say so by the message's taskId. */
  continues?: Continuation;
  /** The dialect has no direct answers: there is a task, whatever the agent prefers (A03). */
  asTask?: boolean;
  /** What the answer carries of the history, where that is not the agent's `historyLength`. */
  shownHistory?: number;
}

export interface GetTaskRequest {
  tenant?: string;
  id: string;
  /** Newest n; 0 none; absent all. */
  historyLength?: number;
}

export interface ListTasksRequest extends Omit<TaskQuery, 'scope'> {
  tenant?: string;
}

export interface CancelTaskRequest {
  tenant?: string;
  id: string;
  metadata?: Metadata;
  /** Answer an already canceled task with it instead of an error: dialects before 1.0 (D02). */
  repeatable?: boolean;
}

export interface SubscribeRequest {
  tenant?: string;
  id: string;
  /** Only what came after this sequence. It counts more than a cursor in the header. */
  afterSeq?: number;
  /** Without a cursor from the first event on, also when the task has ended. */
  fromStart?: boolean;
}

export interface CreatePushConfigRequest {
  tenant?: string;
  taskId: string;
  config: NewPushConfig;
}

export interface GetPushConfigRequest {
  tenant?: string;
  taskId: string;
  /** Absent: the oldest one of the task. Dialects before 1.0 may ask so. */
  id?: string;
}

export interface DeletePushConfigRequest {
  tenant?: string;
  taskId: string;
  id: string;
}

export interface ListPushConfigsRequest {
  tenant?: string;
  taskId: string;
  pageSize?: number;
  pageToken?: string;
}

export interface GetExtendedCardRequest {
  tenant?: string;
}

export interface Requests {
  SendMessage: SendRequest;
  SendStreamingMessage: SendRequest;
  GetTask: GetTaskRequest;
  ListTasks: ListTasksRequest;
  CancelTask: CancelTaskRequest;
  SubscribeToTask: SubscribeRequest;
  CreateTaskPushNotificationConfig: CreatePushConfigRequest;
  GetTaskPushNotificationConfig: GetPushConfigRequest;
  ListTaskPushNotificationConfigs: ListPushConfigsRequest;
  DeleteTaskPushNotificationConfig: DeletePushConfigRequest;
  GetExtendedAgentCard: GetExtendedCardRequest;
}

/** The protocol's operations under their 1.0 names (section 5.3). */
export type Operation = keyof Requests;

/** Exactly one of the two (section 3.1.1). */
export type SendResult = { task: Task } | { message: Message };

export interface TaskList {
  tasks: Task[];
  /** Empty on the last page. */
  nextPageToken: string;
  pageSize: number;
  /** Before paging. */
  totalSize: number;
}

export interface PushConfigList {
  configs: PushConfig[];
  /** Empty on the last page. */
  nextPageToken: string;
}

import type { SendOptions, TaskQuery } from '../core/journal.js';
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
  /** Whether the send carries a push notification configuration. */
  push: boolean;
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
}

export interface SubscribeRequest {
  tenant?: string;
  id: string;
}

/** Operations of which only the tenant is read, since the server does not offer them yet. */
export interface UnofferedRequest {
  tenant?: string;
}

export interface Requests {
  SendMessage: SendRequest;
  SendStreamingMessage: SendRequest;
  GetTask: GetTaskRequest;
  ListTasks: ListTasksRequest;
  CancelTask: CancelTaskRequest;
  SubscribeToTask: SubscribeRequest;
  CreateTaskPushNotificationConfig: UnofferedRequest;
  GetTaskPushNotificationConfig: UnofferedRequest;
  ListTaskPushNotificationConfigs: UnofferedRequest;
  DeleteTaskPushNotificationConfig: UnofferedRequest;
  GetExtendedAgentCard: UnofferedRequest;
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

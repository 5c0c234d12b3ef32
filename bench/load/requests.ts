import { randomUUID } from 'node:crypto';

/** JSON-RPC bodies of A2A 1.0. */
export function sendMessage(options: {
  text: string;
  taskId?: string;
  contextId?: string;
  returnImmediately?: boolean;
  stream?: boolean;
  /** Receiver of a webhook. */
  push?: string | undefined;
}): string {
  const { text, taskId, contextId, returnImmediately = false, stream = false, push } = options;
  return rpc(stream ? 'SendStreamingMessage' : 'SendMessage', {
    message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], taskId, contextId },
    configuration: {
      returnImmediately,
      ...(push !== undefined && { taskPushNotificationConfig: { url: push } }),
    },
  });
}

export function getTask(id: string): string {
  return rpc('GetTask', { id });
}

export function listTasks(params: Record<string, unknown>): string {
  return rpc('ListTasks', params);
}

export function subscribeToTask(id: string): string {
  return rpc('SubscribeToTask', { id });
}

function rpc(method: string, params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
}

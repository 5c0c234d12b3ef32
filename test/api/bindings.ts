import type { Message, Task } from '../../core/task.js';
import { frames, type Frame } from '../support/rpc-client.js';
import type { TestApi } from './test-api.js';

/** All that an operation may give: a test reads what its own operation has. */
export interface Result extends Task {
  task: Task;
  message: Message;
  tasks: Task[];
  nextPageToken: string;
  pageSize: number;
  totalSize: number;
}

/** An answer, whichever binding gave it. */
export interface Answer {
  status: number;
  headers: Headers;
  /** Undefined beside an error. */
  result: Result;
  error?: Refusal;
}

export interface Refusal {
  /** The JSON-RPC code, or the HTTP status. */
  code: number;
  message: string;
  /** google.rpc.ErrorInfo's reason. */
  reason: string | undefined;
  /** Fields of google.rpc.BadRequest. */
  fields: string[];
  metadata: Record<string, string>;
}

export type BindingName = 'JSON-RPC' | 'HTTP+JSON';
export const BINDINGS: BindingName[] = ['JSON-RPC', 'HTTP+JSON'];

type Headers_ = Record<string, string>;

/** Calls an operation by its 1.0 name over one binding. */
export async function call(
  api: TestApi,
  binding: BindingName,
  operation: string,
  params: object,
  headers: Headers_ = {},
): Promise<Answer> {
  const response = await send(api, binding, operation, params, headers);
  return read(response, binding);
}

/** All frames of a stream; throws where the answer is none. */
export async function stream(
  api: TestApi,
  binding: BindingName,
  operation: string,
  params: object,
  headers: Headers_ = {},
): Promise<Frame[]> {
  const found: Frame[] = [];
  for await (const frame of openStream(api, binding, operation, params, headers)) found.push(frame);
  return found;
}

export async function* openStream(
  api: TestApi,
  binding: BindingName,
  operation: string,
  params: object,
  headers: Headers_ = {},
  signal?: AbortSignal,
): AsyncGenerator<Frame> {
  const response = await send(api, binding, operation, params, headers, signal);
  if (response.headers.get('content-type') !== 'text/event-stream') {
    const { error } = await read(response, binding);
    throw new Error(`no stream: ${error?.code} ${error?.message}`);
  }
  yield* frames(response);
}

interface Body extends Result {
  result: Result;
  error?: { code: number; message: string; data?: Detail[]; details?: Detail[] };
}

interface Detail {
  '@type': string;
  reason?: string;
  metadata?: Record<string, string>;
  fieldViolations?: { field: string }[];
}

export async function read(response: Response, binding: BindingName): Promise<Answer> {
  const body = (await response.json()) as Body;
  const { status, headers } = response;
  const answer = { status, headers, result: binding === 'JSON-RPC' ? body.result : body };
  if (body.error === undefined) return answer;
  const { code, message, data, details = data ?? [] } = body.error;
  const detail = (type: string) =>
    details.find((one) => one['@type'] === `type.googleapis.com/google.rpc.${type}`);
  const info = detail('ErrorInfo');
  return {
    ...answer,
    result: body.result,
    error: {
      code,
      message,
      reason: info?.reason,
      metadata: info?.metadata ?? {},
      fields: detail('BadRequest')?.fieldViolations?.map(({ field }) => field) ?? [],
    },
  };
}

export function send(
  api: TestApi,
  binding: BindingName,
  operation: string,
  params: object,
  headers: Headers_ = {},
  signal?: AbortSignal,
): Promise<Response> {
  if (binding === 'JSON-RPC') {
    return fetch(`${api.url}/a2a/jsonrpc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: operation, params }),
      ...(signal && { signal }),
    });
  }
  const { id = '', ...fields } = params as { id?: string };
  const taskId = encodeURIComponent(id);
  const get = (path: string) => {
    const query = new URLSearchParams(
      Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]),
    );
    return fetch(`${api.url}/a2a/rest${path}?${query.toString()}`, { headers, ...(signal && { signal }) });
  };
  const post = (path: string, body: object) =>
    fetch(`${api.url}/a2a/rest${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
  switch (operation) {
    case 'SendMessage':
      return post('/message:send', params);
    case 'SendStreamingMessage':
      return post('/message:stream', params);
    case 'GetTask':
      return get(`/tasks/${taskId}`);
    case 'ListTasks':
      return get('/tasks');
    case 'CancelTask':
      return post(`/tasks/${taskId}:cancel`, fields);
    case 'SubscribeToTask':
      return post(`/tasks/${taskId}:subscribe`, fields);
    case 'CreateTaskPushNotificationConfig':
      return post(`/tasks/${taskId}/pushNotificationConfigs`, fields);
    case 'GetExtendedAgentCard':
      return get('/extendedAgentCard');
    default:
      throw new Error(`no address for ${operation}`);
  }
}

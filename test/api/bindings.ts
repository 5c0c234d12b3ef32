import { expect } from 'vitest';
import type { ErrorCode } from '../../core/errors.js';
import type { PushConfig } from '../../core/push.js';
import type { Message, Task } from '../../core/task.js';
import { ERROR_TABLES, GRPC_STATUS } from '../../wire/errors.js';
import { GrpcError } from '../support/grpc-client.js';
import { frames, type Frame } from '../support/rpc-client.js';
import { DEFAULT_AGENT } from './agents.js';
import type { TestApi } from './test-api.js';

/** All that an operation may give: a test reads what its own operation has. */
export interface Result extends Task {
  task: Task;
  message: Message;
  tasks: Task[];
  nextPageToken: string;
  pageSize: number;
  totalSize: number;
  configs: PushConfig[];
  url: string;
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

export type HttpBinding = 'JSON-RPC' | 'HTTP+JSON';
export type BindingName = HttpBinding | 'gRPC';
/** What holds for one holds for all: the contract of the operations. */
export const BINDINGS: BindingName[] = ['JSON-RPC', 'HTTP+JSON', 'gRPC'];
/** Those whose requests are JSON text, and can be wrong as such. */
export const HTTP_BINDINGS: HttpBinding[] = ['JSON-RPC', 'HTTP+JSON'];

/** The number by which a binding tells of an error. */
export function codeOf(binding: BindingName, code: ErrorCode): number {
  const { jsonRpc, http, status } = ERROR_TABLES['1.0.0'][code];
  return binding === 'JSON-RPC' ? jsonRpc : binding === 'HTTP+JSON' ? http : GRPC_STATUS[status];
}

type Headers_ = Record<string, string>;

/** An error before a stream is an ordinary answer: JSON over HTTP (B09). gRPC knows no difference. */
export function expectPlain(binding: BindingName, { headers }: Answer): void {
  if (binding !== 'gRPC') expect(headers.get('content-type')).toBe('application/json');
}

/** Calls an operation by its 1.0 name over one binding. */
export async function call(
  api: TestApi,
  binding: BindingName,
  operation: string,
  params: object,
  headers: Headers_ = {},
  signal?: AbortSignal,
): Promise<Answer> {
  if (binding === 'gRPC') return overGrpc(api, operation, params, headers, signal);
  const response = await send(api, binding, operation, params, headers, signal);
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
  if (binding === 'gRPC') {
    yield* grpcStream(api, operation, params, headers, signal);
    return;
  }
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

export async function read(response: Response, binding: HttpBinding): Promise<Answer> {
  const body = (await response.json()) as Body;
  const { status, headers } = response;
  const answer = { status, headers, result: binding === 'JSON-RPC' ? body.result : body };
  if (body.error === undefined) return answer;
  const { code, message, data, details = data ?? [] } = body.error;
  return { ...answer, result: body.result, error: refusal(code, message, details) };
}

function refusal(code: number, message: string, details: Detail[]): Refusal {
  const detail = (type: string) =>
    details.find((one) => one['@type'] === `type.googleapis.com/google.rpc.${type}`);
  const info = detail('ErrorInfo');
  return {
    code,
    message,
    reason: info?.reason,
    metadata: info?.metadata ?? {},
    fields: detail('BadRequest')?.fieldViolations?.map(({ field }) => field) ?? [],
  };
}

/** Over gRPC the agent of an address is named by the tenant. */
function addressed(api: TestApi, params: object): object {
  const [, code] = /\/agents\/(\w+)$/.exec(api.url) ?? [];
  const { tenant } = params as { tenant?: string };
  if (tenant === undefined) return code === undefined ? params : { ...params, tenant: code };
  return { ...params, tenant: `${tenant}/${code ?? DEFAULT_AGENT}` };
}

/** What protobuf leaves out, because an empty list, an empty string and zero are absent there. */
function listed(result: object, params: object): object {
  const { tasks = [], ...page } = result as { tasks?: Task[] };
  const { includeArtifacts = false } = params as { includeArtifacts?: boolean };
  return {
    tasks: tasks.map((task) => (includeArtifacts ? { ...task, artifacts: task.artifacts ?? [] } : task)),
    nextPageToken: '',
    totalSize: 0,
    ...page,
  };
}

function whole(operation: string, result: object, params: object): object {
  if (operation === 'ListTasks') return listed(result, params);
  return operation.startsWith('List') ? { configs: [], nextPageToken: '', ...result } : result;
}

async function overGrpc(
  api: TestApi,
  operation: string,
  params: object,
  headers: Headers_,
  signal?: AbortSignal,
): Promise<Answer> {
  const streams = operation === 'SendStreamingMessage' || operation === 'SubscribeToTask';
  const answer = streams
    ? await failureOfStream(api, operation, params, headers)
    : await api.grpc.call(operation, addressed(api, params), headers, signal);
  const { result, error, metadata } = answer;
  return {
    status: error?.code ?? 0,
    headers: new Headers(metadata),
    result: (result && whole(operation, result, params)) as unknown as Result,
    ...(error && { error: refusal(error.code, error.message, error.details) }),
  };
}

/** What a stream that cannot be opened answers. */
async function failureOfStream(api: TestApi, operation: string, params: object, headers: Headers_) {
  try {
    for await (const _ of api.grpc.stream(operation, addressed(api, params), headers)) break;
  } catch (error) {
    if (error instanceof GrpcError) return { error: error.failure, result: undefined, metadata: {} };
    throw error;
  }
  throw new Error('a stream was opened');
}

async function* grpcStream(
  api: TestApi,
  operation: string,
  params: object,
  headers: Headers_,
  signal?: AbortSignal,
): AsyncGenerator<Frame> {
  for await (const event of api.grpc.stream(operation, addressed(api, params), headers, signal)) {
    const [carried] = Object.values(event) as { metadata: Record<string, unknown> }[];
    const { $seq, ...metadata } = carried!.metadata;
    Object.assign(carried!, { metadata: Object.keys(metadata).length > 0 ? metadata : undefined });
    if ('artifactUpdate' in event) {
      event.artifactUpdate = { append: false, lastChunk: false, ...(event.artifactUpdate as object) };
    }
    yield { id: String($seq), event: event as unknown as Frame['event'] };
  }
}

export function send(
  api: TestApi,
  binding: HttpBinding,
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
  /** Here `id` is the config's. */
  const configs = () => {
    const { taskId: task, ...config } = fields as { taskId?: string };
    const path = `/tasks/${encodeURIComponent(task ?? '')}/pushNotificationConfigs`;
    if (operation.startsWith('Create')) return post(path, { ...config, ...(id !== '' && { id }) });
    if (operation.startsWith('List')) {
      const query = new URLSearchParams(config as Record<string, string>).toString();
      return fetch(`${api.url}/a2a/rest${path}?${query}`, { headers });
    }
    const method = operation.startsWith('Delete') ? 'DELETE' : 'GET';
    return fetch(`${api.url}/a2a/rest${path}/${encodeURIComponent(id)}`, { method, headers });
  };
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
    case 'GetTaskPushNotificationConfig':
    case 'ListTaskPushNotificationConfigs':
    case 'DeleteTaskPushNotificationConfig':
      return configs();
    case 'GetExtendedAgentCard':
      return get('/extendedAgentCard');
    default:
      throw new Error(`no address for ${operation}`);
  }
}

import { A2AError, invalidParams } from '../core/errors.js';
import { jsonRpcError, type ErrorTableVersion } from './errors.js';

/** The JSON-RPC 2.0 envelope (specification section 9, C10). The same for every dialect. */

export type RequestId = string | number | null;

export interface RpcRequest {
  id: RequestId;
  method: string;
  /** An object; `{}` where the member was absent or null. */
  params: object;
  /** `agent_code` beside the method: the gateway's selector (D04). */
  agentCode?: string;
}

/** Carries the id to answer with; null where none could be read. */
export class EnvelopeError extends Error {
  readonly id: RequestId;
  readonly error: A2AError;

  constructor(error: A2AError, id: RequestId = null) {
    super(error.message);
    this.name = 'EnvelopeError';
    this.error = error;
    this.id = id;
  }
}

/**
 * Reads one request. Throws {@link EnvelopeError}: INVALID_REQUEST for anything that is not one, batches
 * and notifications included (A2A has no method without an answer); INVALID_PARAMS for params that are
 * not an object.
 */
export function parseRequest(body: unknown): RpcRequest {
  if (Array.isArray(body)) throw invalidRequest('Batches are not supported');
  if (typeof body !== 'object' || body === null) throw invalidRequest('The body must be a JSON-RPC request');
  const { jsonrpc, id, method, params, agent_code: agentCode } = body as Record<string, unknown>;
  if (id === undefined) throw invalidRequest('id is required: notifications are not supported');
  if (typeof id !== 'string' && !Number.isFinite(id) && id !== null) {
    throw invalidRequest('id must be a string, a number or null');
  }
  const readable = id as RequestId;
  if (jsonrpc !== '2.0') throw invalidRequest("jsonrpc must be '2.0'", readable);
  if (typeof method !== 'string') throw invalidRequest('method must be a string', readable);
  if (agentCode !== undefined && (typeof agentCode !== 'string' || agentCode === '')) {
    throw invalidRequest('agent_code must be the code of an agent', readable);
  }
  const call = { id: readable, method, ...(agentCode !== undefined && { agentCode }) };
  if (params === undefined || params === null) return { ...call, params: {} };
  if (typeof params !== 'object' || Array.isArray(params)) {
    throw new EnvelopeError(invalidParams('params', 'must be an object'), readable);
  }
  return { ...call, params };
}

function invalidRequest(reason: string, id: RequestId = null): EnvelopeError {
  return new EnvelopeError(new A2AError('INVALID_REQUEST', `Invalid request: ${reason}`), id);
}

/**
 * The text around a result: what differs from reader to reader, so that the result itself can be
 * encoded once for all of them.
 */
export function resultPrefix(id: RequestId): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
}
export const RESULT_SUFFIX = '}';

export function errorResponse(id: RequestId, error: A2AError, version: ErrorTableVersion): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: jsonRpcError(error, version) });
}

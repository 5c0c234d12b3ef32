import type { A2AError, ErrorCode } from '../core/errors.js';

/**
 * One internal code, three protocols: the tables of specification section 5.4. Both are exhaustive by
 * type, so a new code does not compile until every protocol has a number for it.
 */

/** Which revision's table to speak. 1.0.0 is the default; 1.0.1 changed HTTP and gRPC statuses. */
export type ErrorTableVersion = '1.0.0' | '1.0.1';

/** The google.rpc.Code names that we use, with their gRPC numbers. */
export const GRPC_STATUS = {
  INVALID_ARGUMENT: 3,
  NOT_FOUND: 5,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const;
export type GrpcStatus = keyof typeof GRPC_STATUS;

export interface ErrorRow {
  jsonRpc: number;
  http: number;
  /** The gRPC status, and the `status` word in an HTTP error body (AIP-193). */
  status: GrpcStatus;
}

const row = (jsonRpc: number, http: number, status: GrpcStatus): ErrorRow => ({ jsonRpc, http, status });

const TABLE_1_0_0: Record<ErrorCode, ErrorRow> = {
  TASK_NOT_FOUND: row(-32001, 404, 'NOT_FOUND'),
  TASK_NOT_CANCELABLE: row(-32002, 409, 'FAILED_PRECONDITION'),
  PUSH_NOTIFICATION_NOT_SUPPORTED: row(-32003, 400, 'UNIMPLEMENTED'),
  UNSUPPORTED_OPERATION: row(-32004, 400, 'UNIMPLEMENTED'),
  CONTENT_TYPE_NOT_SUPPORTED: row(-32005, 415, 'INVALID_ARGUMENT'),
  INVALID_AGENT_RESPONSE: row(-32006, 502, 'INTERNAL'),
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: row(-32007, 400, 'FAILED_PRECONDITION'),
  EXTENSION_SUPPORT_REQUIRED: row(-32008, 400, 'FAILED_PRECONDITION'),
  VERSION_NOT_SUPPORTED: row(-32009, 400, 'UNIMPLEMENTED'),

  PARSE_ERROR: row(-32700, 400, 'INVALID_ARGUMENT'),
  INVALID_REQUEST: row(-32600, 400, 'INVALID_ARGUMENT'),
  METHOD_NOT_FOUND: row(-32601, 405, 'UNIMPLEMENTED'),
  INVALID_PARAMS: row(-32602, 400, 'INVALID_ARGUMENT'),
  PAYLOAD_TOO_LARGE: row(-32602, 413, 'INVALID_ARGUMENT'),
  NOT_FOUND: row(-32601, 404, 'NOT_FOUND'),
  // JSON-RPC has no words for these; -32000 is its "server error" that A2A leaves free.
  UNAUTHENTICATED: row(-32000, 401, 'UNAUTHENTICATED'),
  PERMISSION_DENIED: row(-32000, 403, 'PERMISSION_DENIED'),
  RESOURCE_EXHAUSTED: row(-32603, 429, 'RESOURCE_EXHAUSTED'),
  UNAVAILABLE: row(-32603, 503, 'UNAVAILABLE'),
  INTERNAL: row(-32603, 500, 'INTERNAL'),
};

const TABLE_1_0_1: Record<ErrorCode, ErrorRow> = {
  ...TABLE_1_0_0,
  TASK_NOT_CANCELABLE: row(-32002, 400, 'FAILED_PRECONDITION'),
  PUSH_NOTIFICATION_NOT_SUPPORTED: row(-32003, 400, 'FAILED_PRECONDITION'),
  UNSUPPORTED_OPERATION: row(-32004, 400, 'FAILED_PRECONDITION'),
  CONTENT_TYPE_NOT_SUPPORTED: row(-32005, 400, 'INVALID_ARGUMENT'),
  INVALID_AGENT_RESPONSE: row(-32006, 500, 'INTERNAL'),
  VERSION_NOT_SUPPORTED: row(-32009, 400, 'FAILED_PRECONDITION'),
};

export const ERROR_TABLES: Record<ErrorTableVersion, Record<ErrorCode, ErrorRow>> = {
  '1.0.0': TABLE_1_0_0,
  '1.0.1': TABLE_1_0_1,
};

/** A google.rpc message as ProtoJSON `Any`. */
export type ErrorDetail = { '@type': string } & Record<string, unknown>;

/**
 * What `error.data` (JSON-RPC), `error.details` (HTTP) and the gRPC status details hold:
 * google.rpc.ErrorInfo, and BadRequest and RetryInfo where there is something to say. The specification asks for an
 * ErrorInfo of A2A's own errors; the official clients recognise invalid parameters by one, too.
 */
export function errorDetails(error: A2AError): ErrorDetail[] {
  const details: ErrorDetail[] = [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: error.code === 'INTERNAL' ? 'INTERNAL_ERROR' : error.code,
      domain: 'a2a-protocol.org',
      ...(Object.keys(error.metadata).length > 0 && { metadata: error.metadata }),
    },
  ];
  if (error.violations.length > 0) {
    details.push({
      '@type': 'type.googleapis.com/google.rpc.BadRequest',
      fieldViolations: error.violations,
    });
  }
  if (error.retryAfter !== undefined) {
    details.push({
      '@type': 'type.googleapis.com/google.rpc.RetryInfo',
      retryDelay: `${error.retryAfter}s`,
    });
  }
  return details;
}

/** The JSON-RPC `error` member (section 9.5). */
export function jsonRpcError(error: A2AError, version: ErrorTableVersion) {
  return {
    code: ERROR_TABLES[version][error.code].jsonRpc,
    message: error.message,
    data: errorDetails(error),
  };
}

/** The HTTP error body, a google.rpc.Status in JSON (section 11.6, AIP-193). */
export function httpError(error: A2AError, version: ErrorTableVersion) {
  const { http, status } = ERROR_TABLES[version][error.code];
  return { error: { code: http, status, message: error.message, details: errorDetails(error) } };
}

/**
 * JSON-RPC answers with HTTP 200 and says the rest in its body, except where the HTTP layer itself has
 * to know: to authenticate, or to come back later.
 */
export function jsonRpcHttpStatus(error: A2AError, version: ErrorTableVersion): number {
  const { http } = ERROR_TABLES[version][error.code];
  return http === 401 || http === 403 || http === 429 || http === 503 ? http : 200;
}

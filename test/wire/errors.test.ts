import { expect, test } from 'vitest';
import { A2AError, ERROR_CODES, invalidParams, taskNotFound, type ErrorCode } from '../../core/errors.js';
import { DIALECTS } from '../../wire/dialects.js';
import {
  ERROR_TABLES,
  errorDetails,
  GRPC_STATUS,
  httpError,
  jsonRpcError,
  jsonRpcHttpStatus,
} from '../../wire/errors.js';

/** The numbers of specification 1.0.0, section 5.4, and JSON-RPC 2.0: JSON-RPC code, HTTP, gRPC. */
const PINNED: Record<ErrorCode, [number, number, string]> = {
  TASK_NOT_FOUND: [-32001, 404, 'NOT_FOUND'],
  TASK_NOT_CANCELABLE: [-32002, 409, 'FAILED_PRECONDITION'],
  PUSH_NOTIFICATION_NOT_SUPPORTED: [-32003, 400, 'UNIMPLEMENTED'],
  UNSUPPORTED_OPERATION: [-32004, 400, 'UNIMPLEMENTED'],
  CONTENT_TYPE_NOT_SUPPORTED: [-32005, 415, 'INVALID_ARGUMENT'],
  INVALID_AGENT_RESPONSE: [-32006, 502, 'INTERNAL'],
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: [-32007, 400, 'FAILED_PRECONDITION'],
  EXTENSION_SUPPORT_REQUIRED: [-32008, 400, 'FAILED_PRECONDITION'],
  VERSION_NOT_SUPPORTED: [-32009, 400, 'UNIMPLEMENTED'],
  PARSE_ERROR: [-32700, 400, 'INVALID_ARGUMENT'],
  INVALID_REQUEST: [-32600, 400, 'INVALID_ARGUMENT'],
  METHOD_NOT_FOUND: [-32601, 405, 'UNIMPLEMENTED'],
  INVALID_PARAMS: [-32602, 400, 'INVALID_ARGUMENT'],
  PAYLOAD_TOO_LARGE: [-32602, 413, 'INVALID_ARGUMENT'],
  NOT_FOUND: [-32601, 404, 'NOT_FOUND'],
  UNAUTHENTICATED: [-32000, 401, 'UNAUTHENTICATED'],
  PERMISSION_DENIED: [-32000, 403, 'PERMISSION_DENIED'],
  RESOURCE_EXHAUSTED: [-32603, 429, 'RESOURCE_EXHAUSTED'],
  UNAVAILABLE: [-32603, 503, 'UNAVAILABLE'],
  INTERNAL: [-32603, 500, 'INTERNAL'],
};

/** What 1.0.1 changed. */
const PINNED_1_0_1: Partial<Record<ErrorCode, [number, number, string]>> = {
  TASK_NOT_CANCELABLE: [-32002, 400, 'FAILED_PRECONDITION'],
  PUSH_NOTIFICATION_NOT_SUPPORTED: [-32003, 400, 'FAILED_PRECONDITION'],
  UNSUPPORTED_OPERATION: [-32004, 400, 'FAILED_PRECONDITION'],
  CONTENT_TYPE_NOT_SUPPORTED: [-32005, 400, 'INVALID_ARGUMENT'],
  INVALID_AGENT_RESPONSE: [-32006, 500, 'INTERNAL'],
  VERSION_NOT_SUPPORTED: [-32009, 400, 'FAILED_PRECONDITION'],
};

test.each(ERROR_CODES)('C09 %s has its numbers in both revisions of the specification', (code) => {
  const numbers = (version: '1.0.0' | '1.0.1') => {
    const { jsonRpc, http, status } = ERROR_TABLES[version][code];
    return [jsonRpc, http, status];
  };
  expect(numbers('1.0.0')).toEqual(PINNED[code]);
  expect(numbers('1.0.1')).toEqual(PINNED_1_0_1[code] ?? PINNED[code]);
});

test('C09 gRPC status numbers are those of google.rpc.Code', () => {
  expect(GRPC_STATUS).toEqual({
    INVALID_ARGUMENT: 3,
    NOT_FOUND: 5,
    PERMISSION_DENIED: 7,
    RESOURCE_EXHAUSTED: 8,
    FAILED_PRECONDITION: 9,
    UNIMPLEMENTED: 12,
    INTERNAL: 13,
    UNAVAILABLE: 14,
    UNAUTHENTICATED: 16,
  });
});

test('X24 the HTTP body is a google.rpc.Status and its reason matches the JSON-RPC twin', () => {
  const error = taskNotFound('task.1');
  const info = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: 'TASK_NOT_FOUND',
    domain: 'a2a-protocol.org',
    metadata: { taskId: 'task.1' },
  };
  expect(httpError(error, '1.0.0')).toEqual({
    error: { code: 404, status: 'NOT_FOUND', message: error.message, details: [info] },
  });
  expect(jsonRpcError(error, '1.0.0')).toEqual({ code: -32001, message: error.message, data: [info] });
});

const info = (reason: string) => ({
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason,
  domain: 'a2a-protocol.org',
});

test('C09 C13 invalid params name their fields, and every error its reason', () => {
  expect(errorDetails(invalidParams('message.parts[0].raw', 'must be base64'))).toEqual([
    info('INVALID_PARAMS'),
    {
      '@type': 'type.googleapis.com/google.rpc.BadRequest',
      fieldViolations: [{ field: 'message.parts[0].raw', description: 'must be base64' }],
    },
  ]);
  expect(errorDetails(new A2AError('PARSE_ERROR', 'x'))).toEqual([info('PARSE_ERROR')]);
  expect(errorDetails(new A2AError('INTERNAL', 'x'))).toEqual([info('INTERNAL_ERROR')]);
});

test('C09 an error that may pass says when to come back', () => {
  expect(errorDetails(new A2AError('UNAVAILABLE', 'x', { retryAfter: 2 }))).toEqual([
    info('UNAVAILABLE'),
    { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '2s' },
  ]);
});

test('C10 JSON-RPC errors travel on HTTP 200 except those that HTTP itself must know', () => {
  const statuses = ERROR_CODES.map((code) => [code, jsonRpcHttpStatus(new A2AError(code, 'x'), '1.0.0')]);
  expect(Object.fromEntries(statuses.filter(([, status]) => status !== 200))).toEqual({
    UNAUTHENTICATED: 401,
    PERMISSION_DENIED: 403,
    RESOURCE_EXHAUSTED: 429,
    UNAVAILABLE: 503,
  });
});

test('C13 D02 over gRPC 0.3 puts the name of an error before its text', () => {
  const { grpcErrorText } = DIALECTS['v03-proto'];
  expect(grpcErrorText?.(new A2AError('TASK_NOT_FOUND', 'Gone'))).toBe('TaskNotFoundError: Gone');
  expect(grpcErrorText?.(new A2AError('UNAUTHENTICATED', 'Who?'))).toBe('Who?');
});

import type { A2AError, ErrorCode } from '../../core/errors.js';
import { httpError, jsonRpcError, type ErrorTableVersion } from '../errors.js';

/** The names that 0.3's schema gives its errors (section 8), or 1.0 those that came later; undefined where none does. */
const NAMES: Record<ErrorCode, string | undefined> = {
  TASK_NOT_FOUND: 'TaskNotFoundError',
  TASK_NOT_CANCELABLE: 'TaskNotCancelableError',
  PUSH_NOTIFICATION_NOT_SUPPORTED: 'PushNotificationNotSupportedError',
  UNSUPPORTED_OPERATION: 'UnsupportedOperationError',
  CONTENT_TYPE_NOT_SUPPORTED: 'ContentTypeNotSupportedError',
  INVALID_AGENT_RESPONSE: 'InvalidAgentResponseError',
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: 'AuthenticatedExtendedCardNotConfiguredError',
  EXTENSION_SUPPORT_REQUIRED: 'ExtensionSupportRequiredError',
  VERSION_NOT_SUPPORTED: 'VersionNotSupportedError',
  PARSE_ERROR: 'JSONParseError',
  INVALID_REQUEST: 'InvalidRequestError',
  METHOD_NOT_FOUND: 'MethodNotFoundError',
  INVALID_PARAMS: 'InvalidParamsError',
  PAYLOAD_TOO_LARGE: 'InvalidParamsError',
  NOT_FOUND: 'MethodNotFoundError',
  UNAUTHENTICATED: undefined,
  PERMISSION_DENIED: undefined,
  RESOURCE_EXHAUSTED: 'InternalError',
  UNAVAILABLE: 'InternalError',
  INTERNAL: 'InternalError',
};

/**
 * An HTTP error body. 0.3 leaves it open ("maps to A2A error types"), and each official client looks for something else:
 * JavaScript for JSON-RPC's error, Python for the error's name in `type`, Go for 1.0's google.rpc.Status in `error`.
 */
export function v03HttpError(error: A2AError, version: ErrorTableVersion) {
  const name = NAMES[error.code];
  return {
    ...jsonRpcError(error, version),
    ...(name !== undefined && { type: name }),
    ...httpError(error, version),
  };
}

/** An error's text over gRPC: with its name before it, by which the official Python client knows it. */
export function v03ErrorText({ code, message }: A2AError): string {
  const name = NAMES[code];
  return name === undefined ? message : `${name}: ${message}`;
}

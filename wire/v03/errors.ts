import type { A2AError, ErrorCode } from '../../core/errors.js';
import { jsonRpcError, type ErrorTableVersion } from '../errors.js';

/** The names that 0.3's schema gives its errors (section 8); undefined where it has none. */
const NAMES: Record<ErrorCode, string | undefined> = {
  TASK_NOT_FOUND: 'TaskNotFoundError',
  TASK_NOT_CANCELABLE: 'TaskNotCancelableError',
  PUSH_NOTIFICATION_NOT_SUPPORTED: 'PushNotificationNotSupportedError',
  UNSUPPORTED_OPERATION: 'UnsupportedOperationError',
  CONTENT_TYPE_NOT_SUPPORTED: 'ContentTypeNotSupportedError',
  INVALID_AGENT_RESPONSE: 'InvalidAgentResponseError',
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: 'AuthenticatedExtendedCardNotConfiguredError',
  EXTENSION_SUPPORT_REQUIRED: undefined,
  VERSION_NOT_SUPPORTED: undefined,
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
 * An HTTP error body. 0.3 leaves it open ("maps to A2A error types"): this is JSON-RPC's error, which the
 * official JavaScript client reads, with the error's name as other servers have it.
 */
export function v03HttpError(error: A2AError, version: ErrorTableVersion) {
  const name = NAMES[error.code];
  return { ...jsonRpcError(error, version), ...(name !== undefined && { error: name }) };
}

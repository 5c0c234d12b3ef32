/** The errors that A2A itself defines (specification section 3.3.2). */
const A2A_ERROR_CODES = [
  'TASK_NOT_FOUND',
  'TASK_NOT_CANCELABLE',
  'PUSH_NOTIFICATION_NOT_SUPPORTED',
  'UNSUPPORTED_OPERATION',
  'CONTENT_TYPE_NOT_SUPPORTED',
  'INVALID_AGENT_RESPONSE',
  'EXTENDED_AGENT_CARD_NOT_CONFIGURED',
  'EXTENSION_SUPPORT_REQUIRED',
  'VERSION_NOT_SUPPORTED',
] as const;

/**
 * The one error type of the server. A code is internal; `wire/errors.ts` maps every code to each
 * protocol's own numbers by tables that do not compile when a code is missing (C09).
 */
export const ERROR_CODES = [
  ...A2A_ERROR_CODES,
  // protocol errors
  'PARSE_ERROR',
  'INVALID_REQUEST',
  'METHOD_NOT_FOUND',
  'INVALID_PARAMS',
  'PAYLOAD_TOO_LARGE',
  'NOT_FOUND',
  'UNAUTHENTICATED',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'UNAVAILABLE',
  'INTERNAL',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** `field` is the protocol's own path, such as `message.parts[0].raw`. */
export interface FieldViolation {
  field: string;
  description: string;
}

export interface A2AErrorOptions {
  violations?: FieldViolation[];
  /** ErrorInfo metadata: facts for the caller, never internals. */
  metadata?: Record<string, string>;
  /** Seconds after which the caller may try again. */
  retryAfter?: number;
  /** Of UNAUTHENTICATED: what HTTP says in `WWW-Authenticate` (RFC 9110, section 11.6.1). */
  challenge?: string;
  cause?: unknown;
}

/** `message` is shown to callers: it must name no path, SQL, stack or secret. */
export class A2AError extends Error {
  readonly code: ErrorCode;
  readonly violations: FieldViolation[];
  readonly metadata: Record<string, string>;
  readonly retryAfter: number | undefined;
  readonly challenge: string | undefined;

  constructor(code: ErrorCode, message: string, options: A2AErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'A2AError';
    this.code = code;
    this.violations = options.violations ?? [];
    this.metadata = options.metadata ?? {};
    this.retryAfter = options.retryAfter;
    this.challenge = options.challenge;
  }
}

export function taskNotFound(taskId: string): A2AError {
  return new A2AError('TASK_NOT_FOUND', 'The task does not exist or is not accessible', {
    metadata: { taskId },
  });
}

export function invalidParams(field: string, description: string): A2AError {
  return new A2AError('INVALID_PARAMS', `Invalid parameters: ${field}: ${description}`, {
    violations: [{ field, description }],
  });
}

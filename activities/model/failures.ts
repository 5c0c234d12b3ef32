import { APICallError, UnsupportedFunctionalityError } from '@ai-sdk/provider';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { isStall } from './fetch.js';
import { ModelOutputError } from './turn.js';

/** Types of the model activity's failures, as workflows and operators see them. */
type ModelFailureType =
  'ModelUnavailable' | 'ModelRateLimited' | 'ModelRefused' | 'ModelOutput' | 'ModelUnknown' | 'TaskOver';

/** HTTP statuses below 500 after which the same request may succeed. */
const RETRYABLE_STATUS = new Set([408, 409, 425]);

/**
 * What Temporal should do about an error of a model call, decided here because only here the response is
 * known. Messages name neither keys, URLs nor request bodies, and the cause is left out on purpose: Temporal
 * would record it.
 */
export function modelFailure(error: unknown, model: string): ApplicationFailure {
  if (error instanceof ModelOutputError) {
    return failure('ModelOutput', `The model '${model}' ${error.message}.`, {
      nonRetryable: !error.retryable,
    });
  }
  if (error instanceof UnsupportedFunctionalityError) {
    return failure('ModelRefused', `The model '${model}' does not accept this: ${error.functionality}.`, {
      nonRetryable: true,
    });
  }
  const response = findResponse(error);
  if (response?.statusCode !== undefined && response.statusCode >= 400) return httpFailure(response, model);
  const why = causesOf(error).some(isStall) ? 'fell silent' : 'broke off';
  return failure('ModelUnavailable', `The connection to the model '${model}' ${why}.`);
}

/** Not worth a warning: the task ended while its model was speaking. */
export function taskOver(): ApplicationFailure {
  return ApplicationFailure.create({
    message: 'The task is over',
    type: 'TaskOver' satisfies ModelFailureType,
    nonRetryable: true,
    category: ApplicationFailureCategory.BENIGN,
  });
}

export function unknownModel(name: string | undefined): ApplicationFailure {
  return failure('ModelUnknown', `There is no model '${name ?? ''}' on this server.`, { nonRetryable: true });
}

function httpFailure(
  { statusCode = 0, responseHeaders, responseBody }: APICallError,
  model: string,
): ApplicationFailure {
  const code = errorCode(responseBody);
  const answered = `answered HTTP ${statusCode}${code === undefined ? '' : ` (${code})`}`;
  if (statusCode === 429) {
    const nextRetryDelay = retryAfterMillis(responseHeaders ?? {}, Date.now());
    return failure('ModelRateLimited', `The model '${model}' ${answered}: too many requests.`, {
      ...(nextRetryDelay !== undefined && { nextRetryDelay }),
    });
  }
  if (statusCode >= 500 || RETRYABLE_STATUS.has(statusCode)) {
    const nextRetryDelay = retryAfterMillis(responseHeaders ?? {}, Date.now());
    return failure('ModelUnavailable', `The model '${model}' ${answered}.`, {
      ...(nextRetryDelay !== undefined && { nextRetryDelay }),
    });
  }
  return failure('ModelRefused', `The model '${model}' ${answered}.`, { nonRetryable: true });
}

function failure(
  type: ModelFailureType,
  message: string,
  options: { nonRetryable?: boolean; nextRetryDelay?: number } = {},
): ApplicationFailure {
  return ApplicationFailure.create({ message, type, details: [{ safeMessage: message }], ...options });
}

/** The error that carries the HTTP response, however deep the AI SDK wrapped it. */
function findResponse(error: unknown): APICallError | undefined {
  return causesOf(error).find((one) => APICallError.isInstance(one));
}

/** The error, its cause, and so on. */
function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = [];
  for (let at = error; at instanceof Error && causes.length < 10; at = at.cause) causes.push(at);
  return causes;
}

/** The provider's own word for the error, such as `context_length_exceeded`; free text may hold secrets. */
function errorCode(body: string | undefined): string | undefined {
  try {
    const { error } = JSON.parse(body ?? '') as { error?: { code?: unknown; type?: unknown } };
    const code = error?.code ?? error?.type;
    return typeof code === 'string' && /^[a-z][a-z0-9_.-]{0,63}$/i.test(code) ? code : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Milliseconds to wait by `Retry-After` (seconds or an HTTP date, RFC 9110 section 10.2.3), or by the
 * finer `retry-after-ms` that some providers add. Undefined without a usable header.
 */
export function retryAfterMillis(headers: Record<string, string>, now: number): number | undefined {
  const millis = Number(headers['retry-after-ms'] || NaN);
  if (millis >= 0) return millis;
  const value = headers['retry-after'];
  if (value === undefined || value.trim() === '') return undefined;
  const seconds = Number(value);
  const wait = Number.isNaN(seconds) ? Date.parse(value) - now : seconds * 1_000;
  return Number.isFinite(wait) ? Math.max(0, Math.round(wait)) : undefined;
}

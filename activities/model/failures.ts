import { UnsupportedFunctionalityError } from '@ai-sdk/provider';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { ModelFailureDetail, Usage } from '../../core/usage.js';
import { isStall } from './fetch.js';
import { type ErrorKind, providerError, type ProviderError } from './provider-error.js';
import { retryAfterMillis, waitMillis } from './rate-limits.js';
import { BrokenOffError, ModelOutputError } from './turn.js';

/** Types of the model activity's failures, as workflows and operators see them. */
type ModelFailureType =
  | 'ModelUnavailable'
  | 'ModelRateLimited'
  | 'ModelQuota'
  | 'ModelUnauthorized'
  | 'ModelContextLength'
  | 'ModelRefused'
  | 'ModelOutput'
  | 'ModelOutputSchema'
  | 'ModelUnknown'
  | 'TaskOver';

/**
 * What Temporal should do about an error of a model call, decided here because only here the response is
 * known. Messages name neither keys, URLs nor request bodies, and the cause is left out on purpose: Temporal
 * would record it.
 */
export function modelFailure(error: unknown, model: string, usage?: Usage): ApplicationFailure {
  const paid = usage && { usage };
  if (error instanceof ModelOutputError) {
    const type = error instanceof BrokenOffError ? 'ModelUnavailable' : 'ModelOutput';
    return failure(type, `The model '${model}' ${error.message}.`, {
      nonRetryable: !error.retryable,
      ...paid,
    });
  }
  if (error instanceof UnsupportedFunctionalityError) {
    return failure('ModelRefused', `The model '${model}' does not accept this: ${error.functionality}.`, {
      nonRetryable: true,
      ...paid,
    });
  }
  const causes = causesOf(error);
  const said = providerError(causes);
  if (said) return providerFailure(said, model, paid);
  const why = causes.some(isStall) ? 'fell silent' : 'broke off';
  return failure('ModelUnavailable', `The connection to the model '${model}' ${why}.`, paid);
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

export function uncheckableOutput(): ApplicationFailure {
  const message = 'The JSON Schema that was given as output uses words that answers cannot be checked by.';
  return failure('ModelOutputSchema', message, { nonRetryable: true });
}

const FAILURES: Record<ErrorKind, { type: ModelFailureType; retryable: boolean; says?: string }> = {
  unavailable: { type: 'ModelUnavailable', retryable: true },
  'rate limit': { type: 'ModelRateLimited', retryable: true, says: 'too many requests' },
  quota: { type: 'ModelQuota', retryable: false, says: 'its quota is used up' },
  credentials: {
    type: 'ModelUnauthorized',
    retryable: false,
    says: "it does not accept this server's credentials",
  },
  'too long': { type: 'ModelContextLength', retryable: false, says: 'the conversation is too long for it' },
  refused: { type: 'ModelRefused', retryable: false },
};

function providerFailure(
  { status, headers, code, kind }: ProviderError,
  model: string,
  paid: Pick<FailureOptions, 'usage'> | undefined,
): ApplicationFailure {
  const { type, retryable, says = redirected(status) } = FAILURES[kind];
  const answered = status === undefined ? 'broke off its answer' : `answered HTTP ${status}`;
  const word = code === undefined ? '' : ` (${code})`;
  const message = `The model '${model}' ${answered}${word}${says === undefined ? '' : `: ${says}`}.`;
  const now = Date.now();
  // Only a rate limit has to do with the limits that are in the headers of every answer.
  const wait = kind === 'rate limit' ? waitMillis(headers, now) : retryAfterMillis(headers, now);
  return failure(type, message, {
    nonRetryable: !retryable,
    ...(retryable && wait !== undefined && { nextRetryDelay: wait }),
    ...(kind === 'rate limit' && wait !== undefined && { resetsAt: new Date(now + wait).toISOString() }),
    ...paid,
  });
}

function redirected(status = 0): string | undefined {
  return status >= 300 && status < 400
    ? 'it redirects, and keys are sent to no address but its own'
    : undefined;
}

interface FailureOptions {
  nonRetryable?: boolean;
  /** Milliseconds. */
  nextRetryDelay?: number;
  usage?: Usage;
  resetsAt?: string;
}

function failure(
  type: ModelFailureType,
  message: string,
  { usage, resetsAt, ...options }: FailureOptions = {},
): ApplicationFailure {
  const detail: ModelFailureDetail = {
    safeMessage: message,
    ...(usage && { usage }),
    ...(resetsAt !== undefined && { resetsAt }),
  };
  return ApplicationFailure.create({ message, type, details: [detail], ...options });
}

/** The error, its cause, and so on. */
function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = [error];
  for (let at = error; at instanceof Error && at.cause !== undefined && causes.length < 10; at = at.cause) {
    causes.push(at.cause);
  }
  return causes;
}

import type { ServerResponse } from 'node:http';
import type { Response } from 'express';
import type { Logger } from 'pino';
import { A2AError } from '../core/errors.js';
import type { Dialect } from '../wire/dialects.js';
import { ERROR_TABLES, httpError, type ErrorTableVersion } from '../wire/errors.js';
import { factsOf } from './request-log.js';

/** Sends JSON text and ends the response. A client that has gone is passed over. */
export function sendJson(
  response: ServerResponse,
  json: string,
  { status = 200, contentType = 'application/json' }: { status?: number; contentType?: string } = {},
): void {
  if (response.destroyed || response.headersSent) return;
  response.statusCode = status;
  response.setHeader('Content-Type', contentType);
  if (!response.hasHeader('Cache-Control')) response.setHeader('Cache-Control', 'no-store');
  response.end(json);
}

export interface FailureOptions {
  logger: Logger;
  errorTable: ErrorTableVersion;
  /** The dialect's error body. Default: that of 1.0 (section 11.6). */
  body?: Dialect['httpError'];
}

/**
 * Answers what was thrown as HTTP says it, and notes it for the log. Always `application/json`, which every
 * client reads (C13).
 */
export function answerFailure(
  response: Response,
  thrown: unknown,
  { logger, errorTable, body = httpError }: FailureOptions,
): void {
  const facts = factsOf(response);
  const error = toA2AError(thrown, facts.requestId, logger);
  // Nobody was told, where the client has gone.
  if (!response.destroyed) facts.error = error.code;
  setErrorHeaders(response, error);
  sendJson(response, JSON.stringify(body(error, errorTable)), {
    status: ERROR_TABLES[errorTable][error.code].http,
  });
}

/** What the HTTP layer has to know of an error beside its status. */
export function setErrorHeaders(response: ServerResponse, error: A2AError): void {
  if (response.headersSent) return;
  if (error.retryAfter !== undefined) {
    response.setHeader('Retry-After', String(Math.ceil(error.retryAfter)));
  }
  if (error.challenge !== undefined) response.setHeader('WWW-Authenticate', error.challenge);
}

/**
 * What may be told of a failure: an `A2AError` as it is; of anything else only that it happened, under the
 * request id that the log has it by.
 */
export function toA2AError(error: unknown, requestId: string, logger: Logger): A2AError {
  if (error instanceof A2AError) return error;
  logger.error({ requestId, err: error }, 'request failed unexpectedly');
  return new A2AError('INTERNAL', 'Internal error', { metadata: { requestId } });
}

import type { ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { A2AError } from '../core/errors.js';
import { ERROR_TABLES, httpError, type ErrorTableVersion } from '../wire/errors.js';

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

/** An error as HTTP says it (section 11.6). Always `application/json`, which every client reads (C13). */
export function sendHttpError(response: ServerResponse, error: A2AError, version: ErrorTableVersion): void {
  setErrorHeaders(response, error);
  sendJson(response, JSON.stringify(httpError(error, version)), {
    status: ERROR_TABLES[version][error.code].http,
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

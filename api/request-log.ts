import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';
import type { Logger } from 'pino';

/** Kept in `response.locals`: what the log line of a request says beside the obvious. */
export interface RequestFacts {
  requestId: string;
  /** The A2A operation, once it is known. */
  operation?: string;
  agent?: string;
  /** Who called, once that is known. */
  owner?: string;
  taskId?: string | undefined;
  /** The internal code of the error that was answered. */
  error?: string;
}

export function factsOf(response: Response): RequestFacts {
  return response.locals as RequestFacts;
}

const ACCEPTABLE_ID = /^[\w.:-]{1,128}$/;

/** `given`: the id that the client sent; its own where it is a plain word. */
export function newFacts(given: unknown): RequestFacts {
  return { requestId: typeof given === 'string' && ACCEPTABLE_ID.test(given) ? given : randomUUID() };
}

/**
 * Gives every request an id (`X-Request-Id`, the client's own where it is a plain word) and logs it when
 * it is over: no bodies, no query, no headers. `outcome` tells an error that we answered from a client
 * that went away (A19).
 */
export function requestLog(logger: Logger) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const started = performance.now();
    const facts = Object.assign(factsOf(response), newFacts(request.headers['x-request-id']));
    response.setHeader('X-Request-Id', facts.requestId);
    const { method, path } = request;
    response.on('close', () => {
      const outcome = response.writableFinished
        ? facts.error === undefined
          ? 'ok'
          : 'error'
        : 'client_gone';
      logger.info(
        {
          ...facts,
          method,
          path,
          status: response.statusCode,
          outcome,
          ms: Math.round(performance.now() - started),
        },
        'request',
      );
    });
    next();
  };
}

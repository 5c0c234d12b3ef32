import type { Request, Response } from 'express';
import { A2AError, invalidParams } from '../core/errors.js';
import { DIALECTS } from '../wire/dialects.js';
import { queryToParams } from '../wire/query.js';
import { checkHeaders, identify, perform, queryOf, type BindingDeps } from './binding.js';
import { checkContentType, hasBody, readJson } from './body.js';
import { factsOf } from './request-log.js';
import { dialectOf, matchRest, type RestMatch, type RestTable } from './rest-routes.js';
import { answerFailure, sendJson } from './respond.js';

/** The HTTP+JSON binding (section 11) of one or several dialects, mounted where their addresses begin. */
export function restHandler(deps: BindingDeps, tables: readonly RestTable[]) {
  const { logger, settings, sse, speakers } = deps;

  return async (request: Request, response: Response): Promise<void> => {
    // Without the query, and still percent-encoded: an encoded slash or colon belongs to an id.
    const [path = ''] = request.url.split('?', 1);
    let dialect = dialectOf(tables, path);
    try {
      const identity = await identify(deps, { headers: request.headers, facts: factsOf(response) });
      const match = matchRest(tables, request.method, path);
      if (!('operation' in match)) {
        if (match.allowed.length === 0) throw new A2AError('NOT_FOUND', 'There is nothing at this address');
        response.setHeader('Allow', match.allowed.join(', '));
        throw new A2AError('METHOD_NOT_FOUND', 'This address does not take this HTTP method');
      }
      ({ dialect } = match);
      checkHeaders(deps, dialect, request);
      const params = withPathFields(await givenFields(deps, request), match.fields);
      const { operation } = match;
      const reply = await perform(deps, { request, response }, { identity, dialect, operation, params });
      if ('json' in reply) {
        sendJson(response, reply.json, { contentType: acceptedType(request.headers.accept) });
        return;
      }
      try {
        await sse.serve(response, reply.stream, speakers[dialect].eventText);
      } finally {
        reply.release();
      }
    } catch (thrown) {
      const { httpError: body, errorTable = settings.errorTable } = DIALECTS[dialect];
      answerFailure(response, thrown, { logger, errorTable, body });
    }
  };
}

/** The request's fields from the body, or from the query where the verb has no body (section 11.5). */
async function givenFields({ settings }: BindingDeps, request: Request): Promise<object> {
  if (request.method !== 'POST') return queryToParams(queryOf(request));
  // An empty body is an empty message: cancel and subscribe need no more (C02).
  if (!hasBody(request)) return {};
  checkContentType(request);
  const body = (await readJson(request, settings.maxBodyBytes)) ?? {};
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalidParams('body', 'must be an object');
  }
  return body;
}

/** A field that the path names, the tenant too, may be given once more, with the same value. */
function withPathFields(given: object, fields: RestMatch['fields']): object {
  for (const [name, value] of Object.entries(fields)) {
    const other: unknown = Object.hasOwn(given, name) ? (given as Record<string, unknown>)[name] : undefined;
    if (other !== undefined && other !== null && other !== '' && other !== value) {
      throw invalidParams(name, 'differs from the path');
    }
  }
  return { ...given, ...fields };
}

/**
 * `application/json`, unless the client names `application/a2a+json` and likes it at least as much
 * (by quality, then by order). What it accepts beside these two is not asked: there is nothing else.
 */
function acceptedType(accept: string | undefined): string {
  const a2a = 'application/a2a+json';
  if (accept === undefined || !accept.includes(a2a)) return 'application/json';
  const ranges = accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((text) => text.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    return { type, quality: quality === undefined ? 1 : Number(quality) || 0 };
  });
  const preferred = ranges
    .filter(({ type, quality }) => quality > 0 && (type === a2a || type === 'application/json'))
    .sort((one, other) => other.quality - one.quality);
  return preferred[0]?.type ?? 'application/json';
}

import type { Request, Response } from 'express';
import { A2AError } from '../core/errors.js';
import { classifyMethod, DIALECTS, type Classified, type DialectName } from '../wire/dialects.js';
import { jsonRpcHttpStatus } from '../wire/errors.js';
import {
  EnvelopeError,
  errorResponse,
  parseRequest,
  resultPrefix,
  RESULT_SUFFIX,
  type RequestId,
} from '../wire/jsonrpc.js';
import { callerOf, type Identity } from './authentication.js';
import { agentOf, checkHeaders, identify, perform, type BindingDeps } from './binding.js';
import { checkContentType, readJson } from './body.js';
import { factsOf } from './request-log.js';
import { sendJson, setErrorHeaders, toA2AError } from './respond.js';

/**
 * The JSON-RPC binding (section 9): every dialect on one address, told apart by the method's name, or `only`
 * one. Errors are JSON-RPC errors too, with HTTP 200 unless HTTP itself has to know (`jsonRpcHttpStatus`).
 */
export function jsonRpcHandler(deps: BindingDeps, only?: DialectName) {
  const { settings, logger, sse, speakers } = deps;

  return async (request: Request, response: Response): Promise<void> => {
    let id: RequestId = null;
    try {
      const identity = await identify(deps, { headers: request.headers, facts: factsOf(response) });
      checkContentType(request);
      const body = await readJson(request, settings.maxBodyBytes);
      if (body === undefined) throw new A2AError('PARSE_ERROR', 'The body is empty');
      const envelope = parseRequest(body);
      id = envelope.id;
      const { operation, ...spoken } = classifyMethod(envelope.method, {
        only,
        agentCode: envelope.agentCode !== undefined,
      });
      const { params } = envelope;
      const dialect = await dialectOf(deps, { request, identity, params }, spoken);
      const agentCode = DIALECTS[dialect].agentCode ? envelope.agentCode : undefined;
      checkHeaders(deps, dialect, request);
      const reply = await perform(
        deps,
        { request, response },
        { identity, dialect, operation, params, agentCode },
      );

      const prefix = resultPrefix(id);
      if ('json' in reply) {
        sendJson(response, prefix + reply.json + RESULT_SUFFIX);
        return;
      }
      try {
        const { eventText } = speakers[dialect];
        await sse.serve(response, reply.stream, (event, passed) => {
          const json = eventText(event, passed);
          return json === undefined ? undefined : prefix + json + RESULT_SUFFIX;
        });
      } finally {
        reply.release();
      }
    } catch (thrown) {
      if (thrown instanceof EnvelopeError) id = thrown.id;
      const facts = factsOf(response);
      const error = toA2AError(
        thrown instanceof EnvelopeError ? thrown.error : thrown,
        facts.requestId,
        logger,
      );
      // Nobody was told, where the client has gone.
      if (!response.destroyed) facts.error = error.code;
      setErrorHeaders(response, error);
      sendJson(response, errorResponse(id, error, settings.errorTable), {
        status: jsonRpcHttpStatus(error, settings.errorTable),
      });
    }
  };
}

/**
 * Methods that several dialects have are told apart by the id that they are about: where this caller chose it,
 * the dialect in which that can be done speaks.
 */
async function dialectOf(
  deps: BindingDeps,
  call: { request: Request; identity: Identity; params: object },
  { dialect, ofChosenId }: Omit<Classified, 'operation'>,
): Promise<DialectName> {
  const { id, tenant } = call.params as Record<string, unknown>;
  if (ofChosenId === undefined || typeof id !== 'string') return dialect;
  const caller = callerOf(call.identity, typeof tenant === 'string' ? tenant : '');
  const scope = { ...caller, agent: agentOf(deps, call.request).code };
  return (await deps.journal.resolveAlias(scope, id)) === undefined ? dialect : ofChosenId;
}

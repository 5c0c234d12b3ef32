import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import type { AgentDefinition } from '../core/agent.js';
import { A2AError, invalidParams } from '../core/errors.js';
import { checkVersion, type DialectName } from '../wire/dialects.js';
import { activatedExtensions } from '../wire/extensions.js';
import type { Operation } from '../wire/requests.js';
import type { AgentRegistry } from './agent-registry.js';
import type { Authenticator } from './authentication.js';
import type { Operations, Reply } from './operations.js';
import { factsOf } from './request-log.js';
import type { ApiSettings } from './settings.js';
import type { FrameData, SseStreams } from './sse.js';
import type { Call } from './tasks/call.js';

/** What a dialect brings to every binding that speaks it. */
export interface Speaker {
  operations: Operations;
  /** Events as JSON text, each encoded once. */
  eventText: FrameData;
}

/** What the bindings share. */
export interface BindingDeps {
  agents: AgentRegistry;
  authenticator: Authenticator;
  speakers: Record<DialectName, Speaker>;
  sse: SseStreams;
  settings: ApiSettings;
  logger: Logger;
}

/** The agent whose address was used: `/agents/{code}`, or the default. Throws NOT_FOUND. */
export function agentOf({ agents }: BindingDeps, request: Request): AgentDefinition {
  const { code } = request.params;
  const agent = code === undefined ? agents.default : agents.get(String(code));
  if (agent === undefined) throw new A2AError('NOT_FOUND', 'There is no such agent');
  return agent;
}

/** Query parameters, read by the standard and not by Express, whose parser makes objects of brackets. */
export function queryOf(request: Request): URLSearchParams {
  const mark = request.url.indexOf('?');
  return new URLSearchParams(mark === -1 ? '' : request.url.slice(mark + 1));
}

/** Holds the version that was asked for against the dialect, and answers the extensions that were. */
export function checkHeaders(
  { settings }: BindingDeps,
  dialect: DialectName,
  request: Request,
  response: Response,
) {
  const query = [...queryOf(request)].flatMap(([name, value]) =>
    name.toLowerCase() === 'a2a-version' ? [value] : [],
  );
  checkVersion(dialect, { header: singleHeader(request, 'a2a-version'), query }, settings.strictVersion);
  const activated = activatedExtensions(singleHeader(request, 'a2a-extensions'));
  if (activated.length > 0) response.setHeader('A2A-Extensions', activated.join(', '));
}

/** One operation, as a binding has read it from the request. */
export interface Invocation {
  dialect: DialectName;
  operation: Operation;
  /** All fields of the request, wherever they stood. */
  params: object;
}

/** Does the operation and gives what the binding has to write. */
export async function perform(
  deps: BindingDeps,
  { request, response }: { request: Request; response: Response },
  { dialect, operation, params }: Invocation,
): Promise<Reply> {
  const facts = factsOf(response);
  const agent = agentOf(deps, request);
  facts.operation = operation;
  facts.agent = agent.code;
  let call: Call | undefined;
  const owner = deps.authenticator.owner(request.headers);
  try {
    return await deps.speakers[dialect].operations[operation](params, (tenant) => {
      call = {
        agent,
        caller: { owner, tenant: tenant ?? '' },
        signal: goneSignal(response),
        idempotencyKey: idempotencyKey(request),
        lastEventId: singleHeader(request, 'last-event-id'),
      };
      return call;
    });
  } finally {
    // The caller may name any id; the log takes a sane length of it.
    facts.taskId = call?.taskId?.slice(0, 128);
  }
}

/** Aborted when the connection closes before the answer was finished. */
function goneSignal(response: Response): AbortSignal {
  const controller = new AbortController();
  response.on('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  if (response.destroyed) controller.abort();
  return controller.signal;
}

/** Node.js joins repeated headers of these names with commas, so there is one value or none. */
function singleHeader({ headers }: Request, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(',') : value;
}

/** A20. Kept as it is sent; an empty one is none. */
function idempotencyKey(request: Request): string | undefined {
  const key = singleHeader(request, 'idempotency-key')?.trim();
  if (key === undefined || key === '') return undefined;
  if (key.length > 256) throw invalidParams('Idempotency-Key', 'must have at most 256 characters');
  return key;
}

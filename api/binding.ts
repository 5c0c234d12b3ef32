import type { IncomingHttpHeaders } from 'node:http';
import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import type { AgentDefinition } from '../core/agent.js';
import { A2AError, invalidParams } from '../core/errors.js';
import type { JournalReads } from '../core/journal.js';
import { checkVersion, type DialectName } from '../wire/dialects.js';
import { activateExtensions, extensionHeaders, namedExtensions } from '../wire/extensions.js';
import type { Operation } from '../wire/requests.js';
import type { AgentRegistry } from './agent-registry.js';
import { callerOf, type Authenticator, type Identity } from './authentication.js';
import type { Operations, Reply } from './operations.js';
import { factsOf, type RequestFacts } from './request-log.js';
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
  journal: Pick<JournalReads, 'resolveAlias'>;
  agents: AgentRegistry;
  authenticator: Authenticator;
  speakers: Record<DialectName, Speaker>;
  sse: SseStreams;
  settings: ApiSettings;
  logger: Logger;
}

/**
 * The agent whose address was used, `/agents/{code}`, or else that of the call's selector, or else the default.
 * Throws NOT_FOUND, and INVALID_PARAMS where address and selector differ.
 */
export function agentOf({ agents }: BindingDeps, request: Request, selector?: string): AgentDefinition {
  const { code = selector } = request.params;
  if (selector !== undefined && code !== selector)
    throw invalidParams('agent_code', 'differs from the address');
  const agent = code === undefined ? agents.default : agents.get(String(code));
  if (agent === undefined) throw new A2AError('NOT_FOUND', 'There is no such agent');
  return agent;
}

/** Query parameters, read by the standard and not by Express, whose parser makes objects of brackets. */
export function queryOf(request: Request): URLSearchParams {
  const mark = request.url.indexOf('?');
  return new URLSearchParams(mark === -1 ? '' : request.url.slice(mark + 1));
}

/** The A2A-Version parameter of the query, in any case. */
export function versionQuery(request: Request): string[] {
  return [...queryOf(request)].flatMap(([name, value]) =>
    name.toLowerCase() === 'a2a-version' ? [value] : [],
  );
}

/** Holds the version that was asked for, in a header or the query, against the dialect. Throws VERSION_NOT_SUPPORTED. */
export function checkHeaders({ settings }: BindingDeps, dialect: DialectName, request: Request): void {
  negotiate(settings, dialect, request.headers, versionQuery(request));
}

/** The same of any binding's headers (C07). */
export function negotiate(
  { strictVersion }: ApiSettings,
  dialect: DialectName,
  headers: IncomingHttpHeaders,
  query: readonly string[] = [],
): void {
  checkVersion(dialect, { header: singleHeader(headers, 'a2a-version'), query }, strictVersion);
}

/**
 * Activates the extensions that a caller names and tells it which, in the spelling of the header that it used (C07).
 * Throws EXTENSION_SUPPORT_REQUIRED.
 */
export function activate(
  { headers, announce }: Pick<Arrival, 'headers' | 'announce'>,
  dialect: DialectName,
  agent: AgentDefinition,
): void {
  const asked = extensionHeaders(dialect).map((name) => ({
    name,
    uris: namedExtensions(singleHeader(headers, name.toLowerCase())),
  }));
  const active = new Set(
    activateExtensions(
      agent,
      asked.flatMap(({ uris }) => uris),
    ),
  );
  for (const { name, uris } of asked) {
    const told = uris.filter((uri) => active.has(uri));
    if (told.length > 0) announce(name, told.join(', '));
  }
}

/** Who calls. Bindings ask it first, before they read a body or tell what is here. Throws UNAUTHENTICATED. */
export async function identify(
  { authenticator }: BindingDeps,
  { headers, facts }: Pick<Arrival, 'headers' | 'facts'>,
): Promise<Identity> {
  const identity = await authenticator.authenticate(headers);
  facts.owner = identity.owner;
  return identity;
}

/** One operation, as a binding has read it from the request. */
export interface Invocation {
  identity: Identity;
  dialect: DialectName;
  operation: Operation;
  /** All fields of the request, wherever they stood. */
  params: object;
  /** The agent, where the call names it itself. */
  agentCode?: string | undefined;
}

/** Where a call came in, as the binding that it came by knows it. */
export interface Arrival {
  /** HTTP headers or gRPC metadata, names in lower case. */
  headers: IncomingHttpHeaders;
  /** Whom the call is for, given the tenant that the request names. Throws NOT_FOUND. */
  addressee: (tenant: string | undefined) => { agent: AgentDefinition; tenant: string };
  /** Says something beside the answer: in an HTTP header, or in gRPC's initial metadata. */
  announce: (name: string, value: string) => void;
  /** Aborted when the client has gone. */
  signal: AbortSignal;
  facts: RequestFacts;
}

/** Does the operation and gives what the HTTP binding has to write. */
export async function perform(
  deps: BindingDeps,
  { request, response }: { request: Request; response: Response },
  invocation: Invocation,
): Promise<Reply> {
  const facts = factsOf(response);
  const agent = agentOf(deps, request, invocation.agentCode);
  facts.agent = agent.code;
  const signal = goneSignal(response);
  const addressee = (tenant = '') => ({ agent, tenant });
  const announce = (name: string, value: string) => void response.setHeader(name, value);
  return invoke(deps, { headers: request.headers, addressee, announce, signal, facts }, invocation);
}

/** Does the operation, whichever binding it came by. */
export async function invoke(
  deps: BindingDeps,
  arrival: Arrival,
  { identity, dialect, operation, params }: Invocation,
): Promise<Reply> {
  const { headers, addressee, signal, facts } = arrival;
  facts.operation = operation;
  let call: Call | undefined;
  try {
    return await deps.speakers[dialect].operations[operation](params, (asked) => {
      const { agent, tenant } = addressee(asked);
      facts.agent = agent.code;
      activate(arrival, dialect, agent);
      call = {
        agent,
        caller: callerOf(identity, tenant),
        dialect,
        signal,
        idempotencyKey: idempotencyKey(headers),
        lastEventId: singleHeader(headers, 'last-event-id'),
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
export function singleHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(',') : value;
}

/** A20. Kept as it is sent; an empty one is none. */
function idempotencyKey(headers: IncomingHttpHeaders): string | undefined {
  const key = singleHeader(headers, 'idempotency-key')?.trim();
  if (key === undefined || key === '') return undefined;
  if (key.length > 256) throw invalidParams('Idempotency-Key', 'must have at most 256 characters');
  return key;
}

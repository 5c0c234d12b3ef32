import type { IncomingHttpHeaders } from 'node:http';
import type { Metadata, ServerUnaryCall, ServerWritableStream } from '@grpc/grpc-js';
import type { AgentDefinition } from '../../core/agent.js';
import { A2AError } from '../../core/errors.js';
import { readMessage } from '../../wire/protobuf/read.js';
import type { GrpcMethod, GrpcService } from '../../wire/protobuf/service.js';
import type { AgentRegistry } from '../agent-registry.js';
import { identify, invoke, negotiate, type BindingDeps } from '../binding.js';
import type { Reply } from '../operations.js';
import type { RequestFacts } from '../request-log.js';

export type GrpcCall = ServerUnaryCall<Buffer, Buffer> | ServerWritableStream<Buffer, Buffer>;

/** Reads the request and does what it asks. `head` gets what is to be said in front of the answer. */
export async function receive(
  deps: BindingDeps,
  { dialect }: GrpcService,
  { operation, request, params: paramsOf = same }: GrpcMethod,
  { call, facts, signal, head }: { call: GrpcCall; facts: RequestFacts; signal: AbortSignal; head: Metadata },
): Promise<Reply> {
  const headers = headersOf(call.metadata);
  const announce = (name: string, value: string) => head.set(name.toLowerCase(), value);
  announce('x-request-id', facts.requestId);
  const identity = await identify(deps, { headers, facts });
  negotiate(deps.settings, dialect, headers);
  const params = paramsOf(readMessage(request, call.request));
  const addressee = (tenant: string | undefined) => addresseeOf(deps.agents, tenant);
  return invoke(
    deps,
    { headers, addressee, announce, signal, facts },
    { identity, dialect, operation, params },
  );
}

/** The agent that a tenant names: `{code}` or `{org}/{code}`; none is the default agent. Throws NOT_FOUND. */
function addresseeOf(agents: AgentRegistry, tenant = ''): { agent: AgentDefinition; tenant: string } {
  if (tenant === '') return { agent: agents.default, tenant };
  const slash = tenant.lastIndexOf('/');
  const agent = agents.get(tenant.slice(slash + 1));
  if (agent === undefined) throw new A2AError('NOT_FOUND', 'There is no such agent');
  return { agent, tenant: tenant.slice(0, Math.max(slash, 0)) };
}

/** Metadata as the headers that it is; repeated ones joined as Node.js does, binary ones left out. */
function headersOf(metadata: Metadata): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = {};
  for (const name of Object.keys(metadata.getMap())) {
    if (!name.endsWith('-bin')) headers[name] = metadata.get(name).join(', ');
  }
  return headers;
}

/** Aborted when the client has gone, or its deadline has passed, before the call was over. */
export function goneSignal(call: GrpcCall): AbortSignal {
  const controller = new AbortController();
  call.on('cancelled', () => controller.abort());
  if (call.cancelled) controller.abort();
  return controller.signal;
}

const same = (fields: object): object => fields;

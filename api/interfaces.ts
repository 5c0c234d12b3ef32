import type { AgentDefinition } from '../core/agent.js';
import type { CardInterface } from '../wire/card.js';
import type { ApiSettings } from './settings.js';

/** What an interface's URL is made of. */
interface Address {
  /** Of the agent: the public URL, with `/agents/{code}` where the card was fetched there. */
  base: string;
  agent: AgentDefinition;
  settings: ApiSettings;
}

type InterfaceRow = Omit<CardInterface, 'url' | 'tenant'> & {
  /** Undefined: this server does not offer it, or shall not show it. */
  url: (address: Address) => string | undefined;
  /** What clients have to send with each request; undefined: nothing. */
  tenant?: (address: Address) => string | undefined;
};

/** All agents share one gRPC address, and are told apart by the tenant; the default one needs none. */
const grpcTenant = ({ base, agent, settings }: Address) =>
  base === settings.publicUrl ? undefined : agent.code;

/** Where an agent can be called, best first: each card lists of it what its dialect can name. */
const INTERFACES: readonly InterfaceRow[] = [
  { binding: 'JSONRPC', version: '1.0', url: ({ base }) => `${base}/a2a/jsonrpc` },
  { binding: 'HTTP+JSON', version: '1.0', url: ({ base }) => `${base}/a2a/rest` },
  { binding: 'GRPC', version: '1.0', url: ({ settings }) => settings.grpcAddress, tenant: grpcTenant },
  { binding: 'JSONRPC', version: '0.3', url: ({ base }) => `${base}/a2a/jsonrpc` },
  // Its clients add `/v1/…` themselves.
  { binding: 'HTTP+JSON', version: '0.3', url: ({ base }) => `${base}/a2a/rest` },
  // Its requests have no tenant, so only the default agent can be called.
  {
    binding: 'GRPC',
    version: '0.3',
    url: ({ base, settings }) => (base === settings.publicUrl ? settings.grpcAddress : undefined),
  },
];

export function interfacesOf(address: Address): CardInterface[] {
  return INTERFACES.flatMap(({ url, tenant, ...row }) => {
    const found = url(address);
    if (found === undefined) return [];
    const needed = tenant?.(address);
    return [{ url: found, ...row, ...(needed !== undefined && { tenant: needed }) }];
  });
}

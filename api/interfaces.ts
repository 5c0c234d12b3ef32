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

type InterfaceRow = Omit<CardInterface, 'url'> & {
  /** Undefined: this server does not offer it, or shall not show it. */
  url: (address: Address) => string | undefined;
};

/** Where an agent can be called, best first: each card lists of it what its dialect can name. */
const INTERFACES: readonly InterfaceRow[] = [
  { binding: 'JSONRPC', version: '1.0', url: ({ base }) => `${base}/a2a/jsonrpc` },
  { binding: 'HTTP+JSON', version: '1.0', url: ({ base }) => `${base}/a2a/rest` },
  { binding: 'JSONRPC', version: '0.3', url: ({ base }) => `${base}/a2a/jsonrpc` },
  // Its clients add `/v1/…` themselves.
  { binding: 'HTTP+JSON', version: '0.3', url: ({ base }) => `${base}/a2a/rest` },
];

export function interfacesOf(address: Address): CardInterface[] {
  return INTERFACES.flatMap(({ url, ...row }) => {
    const found = url(address);
    return found === undefined ? [] : [{ url: found, ...row }];
  });
}

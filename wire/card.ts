import type { AgentSkill } from '../core/agent-card.js';
import type { AgentDefinition } from '../core/agent.js';
import type { SecurityScheme } from './security.js';

/** A place where an agent can be called, in no dialect's words yet. */
export interface CardInterface {
  url: string;
  binding: 'JSONRPC' | 'HTTP+JSON' | 'GRPC';
  /** Major.Minor of the protocol that is spoken there. */
  version: string;
  tenant?: string;
}

/** What a card is made of: what the author declared, and what the server adds. */
export interface CardFacts {
  agent: AgentDefinition;
  /** Of all dialects, best first. */
  interfaces: readonly CardInterface[];
  /** The address that speaks only the drafts. */
  draftUrl: string;
  /** What callers have to prove who they are with; empty where nothing is asked. */
  security: readonly SecurityScheme[];
  extendedCard: boolean;
}

/**
 * The fields that say something: without undefined, empty text and empty lists. A signature covers a card without
 * its defaults (section 8.4.1); here a verifier finds none to leave out.
 */
export function saying<T extends object>(fields: T): Partial<T> {
  const said = Object.entries(fields).filter(
    ([, value]) => value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0),
  );
  return Object.fromEntries(said) as Partial<T>;
}

/** A required list has at least one element (section 5.7), so a skill without tags is tagged with its id. */
export function tagsOf({ id, tags }: AgentSkill): readonly string[] {
  return tags.length === 0 ? [id] : tags;
}

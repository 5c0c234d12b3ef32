import type { AgentDefinition } from './agent.js';
import type { Metadata } from './task.js';

/** What the author says of the agent; the server adds interfaces and capabilities (section 4.4.1). */
export interface AgentCardDetails {
  name: string;
  description: string;
  version?: string;
  skills: AgentSkill[];
  provider?: { organization: string; url: string };
  documentationUrl?: string;
  iconUrl?: string;
  /** Media types, wildcards allowed. Default `text/*` and `application/json`. */
  defaultInputModes?: string[];
  defaultOutputModes?: string[];
}

export interface AgentSkill {
  id: string;
  name: string;
  description: string;
  tags: string[];
  examples?: string[];
  inputModes?: string[];
  outputModes?: string[];
}

/** A protocol extension (section 4.6). */
export interface AgentExtension {
  /** With its version: what breaks it is a new URI. */
  uri: string;
  description?: string;
  /** Callers that do not name it in `A2A-Extensions` are refused. */
  required?: boolean;
  params?: Metadata;
}

/** Checks what an author says in a card. Throws a plain Error that names the field. */
export function checkCard({ code, card, extendedCard, extensions = [] }: AgentDefinition): void {
  for (const field of ['name', 'description'] as const) {
    if (!card[field]) throw new Error(`agent '${code}': card.${field} is missing`);
  }
  if (card.skills.length === 0) {
    throw new Error(`agent '${code}': card.skills needs at least one skill`);
  }
  const skills = [...card.skills, ...(extendedCard?.skills ?? [])];
  for (const [index, skill] of skills.entries()) {
    for (const field of ['id', 'name', 'description'] as const) {
      if (!skill[field]) throw new Error(`agent '${code}': ${field} of skill ${index + 1} is missing`);
    }
  }
  for (const { uri } of extensions) {
    // A comma would end it in the header that names it.
    if (!/^[^\s,]+$/.test(uri)) throw new Error(`agent '${code}': '${uri}' is no URI of an extension`);
  }
}

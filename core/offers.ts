import type { AgentDefinition } from './agent.js';

/** What an agent offers where its definition leaves it open: every dialect's card and every check says the same. */

const DEFAULT_MODES: readonly string[] = ['text/*', 'application/json'];

/** Media types of what it takes, those of its skills not included. */
export function inputModesOf({ card }: AgentDefinition): readonly string[] {
  return card.defaultInputModes ?? DEFAULT_MODES;
}

export function outputModesOf({ card }: AgentDefinition): readonly string[] {
  return card.defaultOutputModes ?? DEFAULT_MODES;
}

export function offersStreaming({ capabilities }: AgentDefinition): boolean {
  return capabilities?.streaming ?? true;
}

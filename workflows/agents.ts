import type { AgentDefinition } from '../core/agent.js';

/** The agents of this bundle, by code; the generated entry module (worker/bundle.ts) registers them. */
const agents = new Map<string, AgentDefinition>();

export function registerAgents(definitions: AgentDefinition[]): void {
  for (const definition of definitions) agents.set(definition.code, definition);
}

export function agentByCode(code: string): AgentDefinition | undefined {
  return agents.get(code);
}

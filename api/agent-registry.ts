import type { AgentDefinition } from '../core/agent.js';

/** The agents of this server. One of them answers at the root; each answers below `/agents/{code}`. */
export interface AgentRegistry {
  readonly default: AgentDefinition;
  readonly all: readonly AgentDefinition[];
  get(code: string): AgentDefinition | undefined;
}

/** `defaultCode` absent: the first. Throws a plain Error on an empty list, a double or an unknown code. */
export function createAgentRegistry(agents: readonly AgentDefinition[], defaultCode?: string): AgentRegistry {
  const byCode = new Map(agents.map((agent) => [agent.code, agent]));
  if (byCode.size < agents.length) {
    const double = agents.find((agent) => byCode.get(agent.code) !== agent);
    throw new Error(`two agents have the code '${double?.code}'`);
  }
  const chosen = defaultCode === undefined ? agents[0] : byCode.get(defaultCode);
  if (chosen === undefined) {
    throw new Error(
      defaultCode === undefined ? 'there is no agent to serve' : `there is no agent '${defaultCode}'`,
    );
  }
  return { default: chosen, all: agents, get: (code) => byCode.get(code) };
}

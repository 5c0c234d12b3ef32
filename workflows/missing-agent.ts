import type { AgentDefinition } from '../core/agent.js';

/** Stands in for an agent that this worker does not have, so that its tasks end and say why (A07). */
export function missingAgent(code: string): AgentDefinition {
  return {
    code,
    card: { name: code, description: 'Not available', skills: [] },
    async run(task) {
      task.reject(`There is no agent ${code} here.`);
    },
  };
}

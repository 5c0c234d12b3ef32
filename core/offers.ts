import type { AgentSkill } from './agent-card.js';
import type { AgentDefinition } from './agent.js';

/** What an agent offers where its definition leaves it open: every dialect's card and every check says the same. */

const DEFAULT_MODES: readonly string[] = ['text/*', 'application/json'];

/** Media types of what it takes by default; its skills may name more. */
export function inputModesOf({ card }: AgentDefinition): readonly string[] {
  return card.defaultInputModes ?? DEFAULT_MODES;
}

export function outputModesOf({ card }: AgentDefinition): readonly string[] {
  return card.defaultOutputModes ?? DEFAULT_MODES;
}

export function offersStreaming({ capabilities }: AgentDefinition): boolean {
  return capabilities?.streaming ?? true;
}

/** Of the public card and of the extended one; of two with one id the extended one counts. */
export function skillsOf({ card, extendedCard }: AgentDefinition): readonly AgentSkill[] {
  return [
    ...new Map([...card.skills, ...(extendedCard?.skills ?? [])].map((skill) => [skill.id, skill])).values(),
  ];
}

/** Whether it says that it has an extended card. */
export function declaresExtendedCard({ capabilities, extendedCard }: AgentDefinition): boolean {
  return capabilities?.extendedAgentCard ?? extendedCard !== undefined;
}

/** The agent as its extended card shows it; undefined where it has none. */
export function extendedAgent(agent: AgentDefinition): AgentDefinition | undefined {
  if (agent.extendedCard === undefined) return undefined;
  return { ...agent, card: { ...agent.card, ...agent.extendedCard, skills: [...skillsOf(agent)] } };
}

export function offersPush({ capabilities }: AgentDefinition): boolean {
  return capabilities?.pushNotifications ?? true;
}

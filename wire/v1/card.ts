import type { AgentDefinition } from '../../core/agent.js';
import { inputModesOf, offersStreaming, outputModesOf } from '../../core/offers.js';
import { EXTENSIONS } from '../extensions.js';

/** A place where the agent can be called (section 4.4.6), best first. */
export interface AgentInterface {
  url: string;
  protocolBinding: 'JSONRPC' | 'HTTP+JSON' | 'GRPC';
  protocolVersion: string;
  tenant?: string;
}

/**
 * The 1.0 agent card (section 4.4.1): what the author declared, with the interfaces and capabilities that
 * the server adds.
 */
export function agentCard(agent: AgentDefinition, interfaces: readonly AgentInterface[]) {
  const { card } = agent;
  return {
    name: card.name,
    description: card.description,
    supportedInterfaces: interfaces,
    ...(card.provider !== undefined && { provider: card.provider }),
    version: card.version ?? '1.0.0',
    ...(card.documentationUrl !== undefined && { documentationUrl: card.documentationUrl }),
    capabilities: {
      streaming: offersStreaming(agent),
      pushNotifications: false,
      extendedAgentCard: false,
      extensions: EXTENSIONS.map((extension) => ({ ...extension, required: false })),
    },
    defaultInputModes: inputModesOf(agent),
    defaultOutputModes: outputModesOf(agent),
    skills: card.skills,
    ...(card.iconUrl !== undefined && { iconUrl: card.iconUrl }),
  };
}

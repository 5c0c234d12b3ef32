import type { AgentSkill } from '../../core/agent-card.js';
import { inputModesOf, offersPush, offersStreaming, outputModesOf } from '../../core/offers.js';
import { saying, tagsOf, type CardFacts } from '../card.js';
import { extensionsOf } from '../extensions.js';
import type { SecurityScheme } from '../security.js';

/** The 0.3 agent card (section 5.5 of that revision), with the interfaces that speak 0.3. */
export function v03Card({ agent, interfaces, security, extendedCard }: CardFacts): object {
  const { card } = agent;
  const spoken = interfaces.filter(({ version }) => version === '0.3');
  const [preferred] = spoken;
  return saying({
    protocolVersion: '0.3.0',
    name: card.name,
    description: card.description,
    url: preferred?.url,
    preferredTransport: preferred?.binding,
    // The preferred one among them, as section 5.5.5 advises.
    additionalInterfaces: spoken.map(({ url, binding }) => ({ url, transport: binding })),
    iconUrl: card.iconUrl,
    provider: card.provider,
    version: card.version ?? '1.0.0',
    documentationUrl: card.documentationUrl,
    capabilities: {
      streaming: offersStreaming(agent),
      pushNotifications: offersPush(agent),
      // Every status message stands in the history, with its time.
      stateTransitionHistory: true,
      extensions: extensionsOf(agent).map(({ required = false, ...extension }) => ({
        ...extension,
        required,
      })),
    },
    securitySchemes: security.length === 0 ? undefined : Object.fromEntries(security.map(schemeEntry)),
    // Each alone is enough.
    security: security.map(({ name }) => ({ [name]: [] })),
    defaultInputModes: inputModesOf(agent),
    defaultOutputModes: outputModesOf(agent),
    skills: card.skills.map((skill: AgentSkill) => saying({ ...skill, tags: tagsOf(skill) })),
    supportsAuthenticatedExtendedCard: extendedCard,
  });
}

export function schemeEntry({ name, description, ...scheme }: SecurityScheme) {
  return [
    name,
    scheme.kind === 'http'
      ? { type: 'http', scheme: scheme.scheme, description }
      : { type: 'apiKey', in: 'header', name: scheme.header, description },
  ] as const;
}

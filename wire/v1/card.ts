import type { AgentExtension, AgentSkill } from '../../core/agent-card.js';
import { inputModesOf, offersPush, offersStreaming, outputModesOf } from '../../core/offers.js';
import { saying, tagsOf, type CardFacts } from '../card.js';
import { extensionsOf } from '../extensions.js';
import type { SecurityScheme } from '../security.js';

/** The 1.0 agent card (section 4.4.1), in ProtoJSON. */
export function v1Card({ agent, interfaces, security, extendedCard }: CardFacts): object {
  const { card } = agent;
  return saying({
    name: card.name,
    description: card.description,
    supportedInterfaces: interfaces.map(({ url, binding, version, tenant }) =>
      saying({ url, protocolBinding: binding, protocolVersion: version, tenant }),
    ),
    provider: card.provider,
    version: card.version ?? '1.0.0',
    documentationUrl: card.documentationUrl,
    capabilities: {
      streaming: offersStreaming(agent),
      pushNotifications: offersPush(agent),
      extendedAgentCard: extendedCard,
      extensions: extensionsOf(agent).map(declared),
    },
    securitySchemes: security.length === 0 ? undefined : Object.fromEntries(security.map(schemeEntry)),
    // Each alone is enough. Scopes are an empty StringList, which ProtoJSON writes as an empty object.
    securityRequirements: security.map(({ name }) => ({ schemes: { [name]: {} } })),
    defaultInputModes: inputModesOf(agent),
    defaultOutputModes: outputModesOf(agent),
    skills: card.skills.map(shownSkill),
    iconUrl: card.iconUrl,
  });
}

function schemeEntry({ name, description, ...scheme }: SecurityScheme) {
  return [
    name,
    scheme.kind === 'http'
      ? { httpAuthSecurityScheme: { description, scheme: scheme.scheme } }
      : { apiKeySecurityScheme: { description, location: 'header', name: scheme.header } },
  ] as const;
}

/** `required` is shown where it is true: false is the default, which a canonical card leaves out. */
function declared({ uri, description, required, params }: AgentExtension) {
  return saying({ uri, description, required: required === true ? true : undefined, params });
}

function shownSkill(skill: AgentSkill) {
  return saying({ ...skill, tags: tagsOf(skill) });
}

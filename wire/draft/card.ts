import { inputModesOf, offersPush, offersStreaming, outputModesOf } from '../../core/offers.js';
import { saying, tagsOf, type CardFacts } from '../card.js';

/** The agent card of the 2025-04 drafts, which knew one URL and named authentication schemes by word alone. */
export function draftCard({ agent, draftUrl, security }: CardFacts): object {
  const { card } = agent;
  return saying({
    name: card.name,
    description: card.description,
    url: draftUrl,
    provider: card.provider,
    version: card.version ?? '1.0.0',
    documentationUrl: card.documentationUrl,
    capabilities: {
      streaming: offersStreaming(agent),
      pushNotifications: offersPush(agent),
      // Every status message stands in the history, with its time.
      stateTransitionHistory: true,
    },
    authentication:
      security.length === 0
        ? undefined
        : { schemes: security.map((scheme) => (scheme.kind === 'http' ? scheme.scheme : scheme.name)) },
    defaultInputModes: inputModesOf(agent),
    defaultOutputModes: outputModesOf(agent),
    skills: card.skills.map((skill) => saying({ ...skill, tags: tagsOf(skill) })),
  });
}

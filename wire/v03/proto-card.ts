import type { CardFacts } from '../card.js';
import type { SecurityScheme } from '../security.js';
import { schemeEntry, v03Card } from './card.js';

/**
 * The extended 0.3 card over HTTP+JSON. The official Python client reads it as the JSON of the schema, the
 * JavaScript one as ProtoJSON. They are alike but for how a security scheme says its kind, so that each scheme here
 * says it both ways; a reader passes over what it does not know.
 */
export function v03ProtoCard(facts: CardFacts): object {
  const { security } = facts;
  if (security.length === 0) return v03Card(facts);
  const securitySchemes = security.map((scheme) => {
    const [name, json] = schemeEntry(scheme);
    return [name, { ...json, ...protoScheme(scheme) }] as const;
  });
  return { ...v03Card(facts), securitySchemes: Object.fromEntries(securitySchemes) };
}

function protoScheme({ description, ...scheme }: SecurityScheme): object {
  return scheme.kind === 'http'
    ? { httpAuthSecurityScheme: { description, scheme: scheme.scheme } }
    : { apiKeySecurityScheme: { description, location: 'header', name: scheme.header } };
}

import type { CardFacts } from './card.js';
import { versionsOf, type VersionRequest } from './dialects.js';
import { draftCard } from './draft/card.js';
import { v03Card } from './v03/card.js';
import { v03ProtoCard } from './v03/proto-card.js';
import { v1Card } from './v1/card.js';

/** The shapes in which a card is written. */
export type CardShape = '1.0' | '0.3' | '0.3-proto' | 'draft';

export const CARD_SHAPES: Readonly<Record<CardShape, (facts: CardFacts) => object>> = {
  '1.0': v1Card,
  '0.3': v03Card,
  '0.3-proto': v03ProtoCard,
  draft: draftCard,
};

/**
 * The shape that a reader of the card asks for by its version (C06). A card is how a client learns what is
 * supported, so a version that is not gets the `preset` shape, too, and no error.
 */
export function cardShape(request: VersionRequest, preset: CardShape): CardShape {
  const [version, another] = versionsOf(request);
  const [, majorMinor] = /^(\d+\.\d+)(?:\.\d+)?$/.exec(version ?? '') ?? [];
  if (another !== undefined) return preset;
  return majorMinor === '1.0' || majorMinor === '0.3' ? majorMinor : preset;
}

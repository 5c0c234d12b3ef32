import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import type { AgentDefinition } from '../core/agent.js';
import { agentCard } from '../wire/v1/card.js';
import { agentOf, type BindingDeps } from './binding.js';

interface StoredCard {
  json: string;
  etag: string;
}

/**
 * Agent cards (C06). A card's URLs are those of the address it was fetched at, on the public URL from the
 * settings: never from a header, which anybody can set.
 */
export function cardHandler(deps: BindingDeps) {
  const { settings } = deps;
  const cards = new Map<string, StoredCard>();
  // The cards of this process do not change while it runs.
  const lastModified = new Date().toUTCString();

  return (request: Request, response: Response): void => {
    const agent = agentOf(deps, request);
    const base =
      request.params.code === undefined ? settings.publicUrl : `${settings.publicUrl}/agents/${agent.code}`;
    let card = cards.get(base);
    if (card === undefined) {
      card = renderCard(agent, base);
      cards.set(base, card);
    }
    response.set({
      'Content-Type': 'application/json',
      'Cache-Control': `public, max-age=${settings.cardMaxAgeSeconds}`,
      ETag: card.etag,
      'Last-Modified': lastModified,
      Vary: 'A2A-Version',
    });
    // Express answers 304 here when the caller's copy is still good.
    response.send(card.json);
  };
}

function renderCard(agent: AgentDefinition, base: string): StoredCard {
  const json = JSON.stringify(
    agentCard(agent, [
      { url: `${base}/a2a/jsonrpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url: `${base}/a2a/rest`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
    ]),
  );
  const digest = createHash('sha256').update(json).digest('base64url');
  return { json, etag: `"${digest.slice(0, 27)}"` };
}

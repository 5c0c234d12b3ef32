import express, { type Request, type Response } from 'express';
import { cardShape, type CardShape } from '../wire/cards.js';
import { agentOf, singleHeader, versionQuery, type BindingDeps } from './binding.js';
import { JWKS_PATH, type Cards } from './cards.js';
import { factsOf } from './request-log.js';

/** Where an agent's cards are, relative to its own base address. They are public (C06). */
export function cardRouter(deps: BindingDeps, cards: Cards): express.Router {
  const router = express.Router({ mergeParams: true });
  const { settings } = deps;
  // The cards of this process do not change while it runs.
  const lastModified = new Date().toUTCString();

  const handler =
    (shapeOf: (request: Request) => CardShape) => async (request: Request, response: Response) => {
      const agent = agentOf(deps, request);
      factsOf(response).agent = agent.code;
      const place = request.params.code === undefined ? 'root' : 'agent';
      const { json, etag } = await cards.public(agent, shapeOf(request), place);
      response.set({
        'Content-Type': 'application/json',
        'Cache-Control': `public, max-age=${settings.cardMaxAgeSeconds}`,
        ETag: etag,
        'Last-Modified': lastModified,
        Vary: 'A2A-Version',
      });
      // Express answers 304 here when the caller's copy is still good.
      response.send(json);
    };

  const asked = (request: Request) =>
    cardShape(
      { header: singleHeader(request.headers, 'a2a-version'), query: versionQuery(request) },
      settings.cardVersion,
    );
  router.get('/.well-known/agent-card.json', handler(asked));
  router.get(
    '/a2a/v0.3/.well-known/agent-card.json',
    handler(() => '0.3'),
  );
  router.get(
    '/.well-known/agent.json',
    handler(() => 'draft'),
  );
  return router;
}

/** The public key that cards and webhooks are signed with. */
export function jwksRouter({ settings }: BindingDeps, publicJwk: object): express.Router {
  const router = express.Router();
  router.get(JWKS_PATH, (_request, response) => {
    response.set({
      'Content-Type': 'application/json',
      'Cache-Control': `public, max-age=${settings.cardMaxAgeSeconds}`,
    });
    response.send(JSON.stringify({ keys: [publicJwk] }));
  });
  return router;
}

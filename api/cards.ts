import { createHash } from 'node:crypto';
import type { AgentDefinition } from '../core/agent.js';
import { A2AError } from '../core/errors.js';
import { declaresExtendedCard, extendedAgent } from '../core/offers.js';
import { CARD_SHAPES, type CardShape } from '../wire/cards.js';
import type { AgentRegistry } from './agent-registry.js';
import type { Authenticator } from './authentication.js';
import { signCard, type CardKey } from './card-signatures.js';
import { interfacesOf } from './interfaces.js';
import type { ApiSettings } from './settings.js';

export interface StoredCard {
  json: string;
  etag: string;
}

export interface CardsDeps {
  agents: AgentRegistry;
  authenticator: Authenticator;
  settings: ApiSettings;
  /** Cards are signed where there is one. */
  cardKey?: CardKey | undefined;
}

/** Where the public key is served, below the public URL. */
export const JWKS_PATH = '/.well-known/jwks.json';

/**
 * Agent cards, public and extended, in every shape (C06). They do not change while the process runs, so each is made
 * once. URLs are those of the settings: never from a header, which anybody can set.
 */
export class Cards {
  private readonly made = new Map<string, Promise<StoredCard>>();

  constructor(private readonly deps: CardsDeps) {}

  /** The public card, as it stands at the agent's own address or, for the default agent, at the root. */
  public(agent: AgentDefinition, shape: CardShape, place: 'root' | 'agent'): Promise<StoredCard> {
    return this.kept(`${shape} ${place} ${agent.code}`, () => this.render(agent, agent, shape, place));
  }

  /**
   * The extended card as JSON (section 3.1.11). Its readers are authenticated by then, as everybody is on a server
   * that takes credentials. Throws UNSUPPORTED_OPERATION where the card does not declare it, and
   * EXTENDED_AGENT_CARD_NOT_CONFIGURED where it does and there is none (section 3.3.4).
   */
  async extended(agent: AgentDefinition, shape: CardShape): Promise<string> {
    if (!this.offersExtended(agent)) {
      throw new A2AError('UNSUPPORTED_OPERATION', 'This agent has no extended card');
    }
    const shown = extendedAgent(agent);
    if (shown === undefined) {
      throw new A2AError('EXTENDED_AGENT_CARD_NOT_CONFIGURED', 'This agent has no extended card configured');
    }
    const place = agent === this.deps.agents.default ? 'root' : 'agent';
    const card = await this.kept(`${shape} extended ${agent.code}`, () =>
      this.render(agent, shown, shape, place),
    );
    return card.json;
  }

  /** Where nobody can prove who they are, an extended card has no readers and is not declared (section 13.3). */
  private offersExtended(agent: AgentDefinition): boolean {
    const { authenticator, settings } = this.deps;
    const readable = authenticator.schemes.length > 0 || settings.anonymousExtendedCard;
    return readable && declaresExtendedCard(agent);
  }

  private kept(key: string, make: () => Promise<StoredCard>): Promise<StoredCard> {
    let card = this.made.get(key);
    if (card === undefined) {
      card = make();
      this.made.set(key, card);
    }
    return card;
  }

  private async render(
    agent: AgentDefinition,
    shown: AgentDefinition,
    shape: CardShape,
    place: 'root' | 'agent',
  ): Promise<StoredCard> {
    const { authenticator, settings, cardKey } = this.deps;
    const base = place === 'root' ? settings.publicUrl : `${settings.publicUrl}/agents/${agent.code}`;
    const card = CARD_SHAPES[shape]({
      agent: shown,
      interfaces: interfacesOf({ base, agent, settings }),
      draftUrl: `${base}/a2a/draft`,
      security: authenticator.schemes,
      extendedCard: this.offersExtended(agent),
    });
    const jwksUrl = settings.publicUrl + JWKS_PATH;
    // The drafts know no signatures.
    const signatures =
      cardKey === undefined || shape === 'draft' ? undefined : await signCard(card, cardKey, jwksUrl);
    const json = JSON.stringify({ ...card, signatures });
    const digest = createHash('sha256').update(json).digest('base64url');
    return { json, etag: `"${digest.slice(0, 27)}"` };
  }
}

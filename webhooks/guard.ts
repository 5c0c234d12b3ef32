import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { WebhookGuard } from '../core/push.js';
import { mayBeDialled } from './addresses.js';

/** All addresses of a host name. */
export type Resolve = (host: string) => Promise<LookupAddress[]>;

export interface GuardOptions {
  /** Loopback and private networks too: for development. */
  allowPrivate: boolean;
  resolve?: Resolve;
}

/** The receiver's address leads inside. Its message is for callers: it names no address. */
export class RefusedAddress extends Error {
  constructor(message = 'the address is not a public one') {
    super(message);
    this.name = 'RefusedAddress';
  }
}

/** A name server that does not answer must not hold up the caller, who is told at the first delivery then. */
const RESOLVE_WITHIN = 2_000;

const bySystem: Resolve = (host) => lookup(host, { all: true });

/**
 * Holds webhook addresses to the outside (X17). A URL is checked when it is given, as far as it can be known;
 * what counts is the check when it is dialled, on the very address that is then connected to.
 */
export class AddressGuard implements WebhookGuard {
  readonly #allowPrivate: boolean;
  readonly #resolve: Resolve;

  constructor({ allowPrivate, resolve = bySystem }: GuardOptions) {
    this.#allowPrivate = allowPrivate;
    this.#resolve = resolve;
  }

  async refusal(url: string): Promise<string | undefined> {
    try {
      const host = hostOf(this.parse(url));
      if (isIP(host) !== 0) return undefined;
      const giveUp = new AbortController();
      const late = delay(RESOLVE_WITHIN, undefined, { signal: giveUp.signal }).catch(() => undefined);
      // Not resolvable now may be later, so only a bad answer counts.
      const found = this.#resolve(host).catch(() => undefined);
      this.#check((await Promise.race([found, late])) ?? []);
      giveUp.abort();
      return undefined;
    } catch (error) {
      if (error instanceof RefusedAddress) return error.message;
      throw error;
    }
  }

  /** What the URL itself shows. Throws {@link RefusedAddress}. */
  parse(text: string): URL {
    if (!URL.canParse(text)) throw new RefusedAddress('is not a URL');
    const url = new URL(text);
    if (url.protocol !== 'https:' && url.protocol !== 'http:') {
      throw new RefusedAddress('must be http or https');
    }
    if (url.username !== '' || url.password !== '') {
      throw new RefusedAddress('must not carry credentials: give them as authentication');
    }
    const host = hostOf(url);
    // The parser has turned decimal, octal and hexadecimal forms into this one.
    if (isIP(host) !== 0) this.#check([{ address: host }]);
    return url;
  }

  /** To be connected to, and to nothing else. Throws {@link RefusedAddress}, or what the resolver throws. */
  async addressesOf(host: string): Promise<LookupAddress[]> {
    const found = await this.#resolve(host);
    this.#check(found);
    return found;
  }

  /** One bad address spoils the name: who answers with both tries something. */
  #check(found: readonly { address: string }[]): void {
    if (found.some(({ address }) => !mayBeDialled(address, this.#allowPrivate))) throw new RefusedAddress();
  }
}

function hostOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { A2AError } from '../core/errors.js';
import type { SecurityScheme } from '../wire/security.js';
import type { Authenticator, Identity } from './authentication.js';

/** A caller's key as the server knows it: never the key itself. */
export interface ApiKey extends Identity {
  /** What people call it: unique. */
  name: string;
  /** SHA-256 of the key, in hexadecimal. */
  hash: string;
  /** Not valid from then on: milliseconds since the epoch. */
  expires?: number;
}

const SCHEMES: readonly SecurityScheme[] = [
  { name: 'bearer', kind: 'http', scheme: 'Bearer', description: 'An API key of this server' },
  { name: 'apiKey', kind: 'apiKey', header: 'X-API-Key', description: 'An API key of this server' },
];

const REALM = 'Bearer realm="a2a"';

/**
 * Keys in memory, found in constant time. A hash that is slow on purpose would protect nothing here: keys are 256
 * random bits, which nobody guesses from a hash however fast, and each request would pay for it.
 */
export class ApiKeys implements Authenticator {
  readonly schemes = SCHEMES;
  #byDigest = new Map<string, ApiKey>();

  constructor(
    keys: readonly ApiKey[],
    private readonly clock: () => number = Date.now,
  ) {
    this.replace(keys);
  }

  /** From the next request on these are the keys, and no others. */
  replace(keys: readonly ApiKey[]): void {
    this.#byDigest = new Map(keys.map((key) => [selector(Buffer.from(key.hash, 'hex')), key]));
  }

  authenticate(headers: IncomingHttpHeaders): Identity {
    const given = givenKey(headers);
    if (given === undefined) {
      throw unauthenticated('Credentials are required: Authorization: Bearer KEY, or X-API-Key: KEY', REALM);
    }
    const digest = digestOf(given);
    const key = this.#byDigest.get(selector(digest));
    if (key === undefined || !timingSafeEqual(Buffer.from(key.hash, 'hex'), digest)) {
      throw unauthenticated('The API key is not valid', `${REALM}, error="invalid_token"`);
    }
    if (key.expires !== undefined && key.expires <= this.clock()) {
      throw unauthenticated(
        'The API key has expired',
        `${REALM}, error="invalid_token", error_description="expired"`,
      );
    }
    return { owner: key.owner, ...(key.tenants !== undefined && { tenants: key.tenants }) };
  }
}

/** How the server knows a key; in hexadecimal it is {@link ApiKey.hash}. */
export function digestOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** By which a digest is looked up; the rest of it is then compared in constant time. */
function selector(digest: Buffer): string {
  return digest.toString('latin1', 0, 8);
}

/** Of the two headers `Authorization` counts, unless it carries another scheme than Bearer. */
function givenKey(headers: IncomingHttpHeaders): string | undefined {
  const [, bearer] = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? [];
  const key = bearer ?? headers['x-api-key'];
  return typeof key === 'string' && key !== '' ? key : undefined;
}

function unauthenticated(message: string, challenge: string): A2AError {
  return new A2AError('UNAUTHENTICATED', message, { challenge });
}

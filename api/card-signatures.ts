import type { KeyObject } from 'node:crypto';
import { FlattenedSign } from 'jose';
import { canonicalJson } from '../wire/canonical-json.js';

/** What cards are signed with; the server reads it. */
export interface CardKey {
  /** Ed25519. */
  privateKey: KeyObject;
  publicJwk: { kid: string; alg: string };
}

/** A JSON Web Signature over a card without its signatures (section 8.4.2). */
export interface CardSignature {
  protected: string;
  signature: string;
}

/**
 * Signs a card. The specification keeps required fields and map entries that are empty; the official SDKs leave out all
 * that is empty, a requirement without scopes too. Verifiers take a card for which one signature holds, so where the
 * two texts differ each is signed.
 *
 * @param jwksUrl where the public key is.
 */
export async function signCard(
  card: object,
  { privateKey, publicJwk }: CardKey,
  jwksUrl: string,
): Promise<CardSignature[]> {
  const { kid, alg } = publicJwk;
  const texts = new Set([canonicalJson(card), canonicalJson(withoutEmpty(card) ?? {})]);
  return Promise.all(
    [...texts].map(async (text) => {
      const { protected: head = '', signature } = await new FlattenedSign(new TextEncoder().encode(text))
        .setProtectedHeader({ alg, typ: 'JOSE', kid, jku: jwksUrl })
        .sign(privateKey);
      return { protected: head, signature };
    }),
  );
}

/** As the SDKs clean a card before they look at its signature: nothing empty is left at any depth. */
function withoutEmpty(value: unknown): unknown {
  if (value === '' || value === null) return undefined;
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) {
    const items = value.map(withoutEmpty).filter((item) => item !== undefined);
    return items.length === 0 ? undefined : items;
  }
  const fields = Object.entries(value)
    .map(([name, field]) => [name, withoutEmpty(field)] as const)
    .filter(([, field]) => field !== undefined);
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}

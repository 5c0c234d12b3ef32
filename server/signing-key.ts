import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/** What this server signs with: agent cards (C06) and webhooks (C05). Its public half is in the JWKS. */
export interface SigningKey {
  /** Ed25519. */
  readonly privateKey: KeyObject;
  readonly publicJwk: PublicJwk;
}

/** An Ed25519 key in JSON (RFC 8037). */
export interface PublicJwk {
  kty: 'OKP';
  crv: 'Ed25519';
  x: string;
  /** The key's thumbprint (RFC 7638), so that the same key has the same name everywhere. */
  kid: string;
  alg: 'EdDSA';
  use: 'sig';
}

/** Reads a private key in PEM. Throws an Error that says what is wrong, and shows nothing of the file. */
export async function readSigningKey(path: string): Promise<SigningKey> {
  const make = `openssl genpkey -algorithm ed25519 -out ${path} writes one`;
  let pem: string;
  try {
    pem = await readFile(path, 'utf8');
  } catch (error) {
    throw new Error(`SIGNING_KEY_FILE=${path} cannot be read; ${make}`, { cause: error });
  }
  const privateKey = privateKeyOf(pem);
  if (privateKey?.asymmetricKeyType !== 'ed25519') {
    throw new Error(`SIGNING_KEY_FILE=${path} holds no Ed25519 private key in PEM; ${make}`);
  }
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  const kid = createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url');
  return { privateKey, publicJwk: { kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' } };
}

function privateKeyOf(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

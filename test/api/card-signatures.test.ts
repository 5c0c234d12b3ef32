import { generateKeyPairSync, verify } from 'node:crypto';
import { verifyAgentCardSignature, type AgentCard } from '@a2a-js/sdk';
import { ClientFactory } from '@a2a-js/sdk/client';
import { importJWK, type CryptoKey, type JWK } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CardSignature } from '../../api/card-signatures.js';
import { agent } from './agents.js';
import { apiKeys, bearer } from './callers.js';
import { startTestApi, type TestApi } from './test-api.js';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const publicJwk = { ...publicKey.export({ format: 'jwk' }), kid: 'the-key', alg: 'EdDSA', use: 'sig' };

type Signed = Record<string, unknown> & { signatures: CardSignature[] };

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({
    signingKey: { privateKey, publicJwk },
    authenticator: apiKeys(),
    agents: [
      agent('main', {
        extensions: [{ uri: 'urn:own', params: { '10': '', '9': [], b: { c: {} }, a: 'ü\u2028' } }],
        extendedCard: { description: 'More, for those who may' },
      }),
    ],
  });
});
afterAll(() => api.close());

const read = async (path: string): Promise<Signed> =>
  (await (await fetch(api.url + path, { headers: bearer('alice') })).json()) as Signed;

/** The SDK's: by the key that the signature names, from where it says. */
const official = verifyAgentCardSignature(async (kid, jku) => {
  // The public URL of this server is where it listens.
  const { keys } = (await (await fetch(jku ?? '')).json()) as { keys: JWK[] };
  const key = await importJWK(keys.find((one) => one.kid === kid) ?? {}, 'EdDSA');
  return key as CryptoKey;
});

/** RFC 8785 once more, by replacing each object by its sorted pairs: shares nothing with what is tested. */
function canonical(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return '[' + value.map((item) => canonical(item)).join() + ']';
  const record = value as Record<string, unknown>;
  const names = Object.keys(record).sort();
  return '{' + names.map((name) => JSON.stringify(name) + ':' + canonical(record[name])).join() + '}';
}

/** As section 8.4.3 says, with Node.js's own Ed25519. */
function holds({ signatures, ...card }: Signed, signature = signatures[0]!): boolean {
  const payload = Buffer.from(canonical(card)).toString('base64url');
  const input = Buffer.from(`${signature.protected}.${payload}`);
  return verify(null, input, publicKey, Buffer.from(signature.signature, 'base64url'));
}

test.each(['/.well-known/agent-card.json', '/a2a/rest/extendedAgentCard'])(
  'C06 the signature of %s holds for the SDK and by the specification’s own steps',
  async (path) => {
    const card = await read(path);
    await official(card as unknown as AgentCard);
    expect(holds(card)).toBe(true);
    const header = JSON.parse(Buffer.from(card.signatures[0]!.protected, 'base64url').toString()) as object;
    expect(header).toEqual({
      alg: 'EdDSA',
      typ: 'JOSE',
      kid: 'the-key',
      jku: `${api.url}/.well-known/jwks.json`,
    });
  },
);

test('C06 a changed card has no signature that holds', async () => {
  const card = await read('/.well-known/agent-card.json');
  const changed = { ...card, description: 'Trust me' };
  await expect(official(changed as unknown as AgentCard)).rejects.toThrow();
  expect(holds(changed)).toBe(false);
});

test('C06 the 0.3 card is signed too; the draft knows no signatures', async () => {
  const card = await read('/a2a/v0.3/.well-known/agent-card.json');
  expect(holds(card)).toBe(true);
  expect(await read('/.well-known/agent.json')).not.toHaveProperty('signatures');
});

test('C06 the JWKS is public, may be kept, and has no private part', async () => {
  const response = await fetch(`${api.url}/.well-known/jwks.json`);
  expect(response.headers.get('cache-control')).toBe('public, max-age=300');
  const { x } = publicKey.export({ format: 'jwk' });
  expect(await response.json()).toEqual({
    keys: [{ kty: 'OKP', crv: 'Ed25519', x, kid: 'the-key', alg: 'EdDSA', use: 'sig' }],
  });
});

test('C06 C13 the official client verifies the card of a server that asks for no credentials', async () => {
  const own = await startTestApi({ signingKey: { privateKey, publicJwk } });
  try {
    const client = await new ClientFactory().createFromUrl(own.url);
    expect(await client.getAgentCard(undefined, official)).toMatchObject({ name: 'main' });
    const card = (await (await fetch(`${own.url}/.well-known/agent-card.json`)).json()) as Signed;
    // Both ways to write it are one here, and so is the signature.
    expect(card.signatures).toHaveLength(1);
  } finally {
    await own.close();
  }
});

test('C06 without a key nothing is signed, and there is no JWKS', async () => {
  const own = await startTestApi();
  try {
    const card = await (await fetch(`${own.url}/.well-known/agent-card.json`)).json();
    expect(card).not.toHaveProperty('signatures');
    expect((await fetch(`${own.url}/.well-known/jwks.json`)).status).toBe(404);
  } finally {
    await own.close();
  }
});

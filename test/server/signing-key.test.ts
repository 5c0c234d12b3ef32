import { createPrivateKey, generateKeyPairSync, sign, verify, createPublicKey } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { calculateJwkThumbprint } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSigningKey } from '../../server/signing-key.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'a2a-temporal-signing-'));
});
afterAll(() => rm(folder, { recursive: true }));

const written = async (text: string): Promise<string> => {
  const path = join(folder, 'key.pem');
  await writeFile(path, text);
  return path;
};
const pem = { format: 'pem', type: 'pkcs8' } as const;

test('C06 the public half fits the key, is named by its thumbprint, and has no private part', async () => {
  const text = generateKeyPairSync('ed25519').privateKey.export(pem).toString();
  const { privateKey, publicJwk } = await readSigningKey(await written(text));
  expect(privateKey.equals(createPrivateKey(text))).toBe(true);
  expect(Object.keys(publicJwk).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x']);
  expect(publicJwk.kid).toBe(await calculateJwkThumbprint({ ...publicJwk }));
  const content = Buffer.from('content');
  const key = createPublicKey({ key: { ...publicJwk }, format: 'jwk' });
  expect(verify(null, content, key, sign(null, content, privateKey))).toBe(true);
});

test.each([
  ['no key at all', 'not a key s3cret'],
  ['a broken key', '-----BEGIN PRIVATE KEY-----\ns3cret\n-----END PRIVATE KEY-----\n'],
  [
    'a public key',
    generateKeyPairSync('ed25519').publicKey.export({ format: 'pem', type: 'spki' }).toString(),
  ],
  [
    'a key of another kind',
    generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export(pem).toString(),
  ],
])('C06 F07 %s is refused, with how to make one and without what is there', async (_name, text) => {
  const reading = readSigningKey(await written(text));
  await expect(reading).rejects.toThrow(/holds no Ed25519 private key in PEM; openssl genpkey/);
  await expect(reading).rejects.not.toThrow(/s3cret|BEGIN/);
});

test('C06 F01 a file that is not there is named', async () => {
  await expect(readSigningKey(join(folder, 'none.pem'))).rejects.toThrow(/none.pem cannot be read/);
});

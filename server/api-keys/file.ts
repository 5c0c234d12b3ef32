import { randomUUID } from 'node:crypto';
import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import type { ApiKey } from '../../api/index.js';

/** Names, owners and tenants go into logs and rows: what a client may choose as a tenant, an operator may too. */
const name = z
  .string()
  .max(256, 'expected at most 256 characters')
  .regex(/^[^\p{Cc}\p{Surrogate}]*$/u, 'expected text without control characters');

const entry = z.strictObject({
  name: name.min(1, 'expected a name'),
  owner: name.min(1, 'expected an owner'),
  hash: z.string().regex(/^[0-9a-f]{64}$/, 'expected SHA-256 in hexadecimal'),
  tenants: z.array(name).optional(),
  created: z.iso.datetime('expected a time such as 2027-01-31T00:00:00Z').optional(),
  expires: z.iso.datetime('expected a time such as 2027-01-31T00:00:00Z').optional(),
});

const file = z.strictObject({ keys: z.array(entry) });

/** A key as the file has it; times in ISO 8601. */
export type KeyEntry = z.output<typeof entry>;

/** The file's keys; undefined where there is no file. Throws an Error that says what is wrong with it. */
export async function readKeyEntries(path: string): Promise<KeyEntry[] | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  return checked(path, jsonOf(text, path));
}

function checked(path: string, json: unknown): KeyEntry[] {
  const parsed = file.safeParse(json);
  if (!parsed.success) {
    const wrong = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    throw new Error(`${path}: ${wrong.join('; ')}`);
  }
  const { keys } = parsed.data;
  for (const field of ['name', 'hash'] as const) {
    const twice = keys.find((key, index) => keys.findIndex((one) => one[field] === key[field]) < index);
    if (twice !== undefined) throw new Error(`${path}: the ${field} of '${twice.name}' is there twice`);
  }
  return keys;
}

/** Replaces the file in one step, readable by its owner alone. Throws as reading it would. */
export async function writeKeyEntries(path: string, keys: readonly KeyEntry[]): Promise<void> {
  checked(path, { keys });
  const beside = `${path}.${randomUUID()}`;
  await writeFile(beside, `${JSON.stringify({ keys }, undefined, 2)}\n`, { mode: 0o600 });
  await chmod(beside, 0o600);
  await rename(beside, path);
}

/** As the API takes it. */
export function apiKeyOf({ name, owner, hash, tenants, expires }: KeyEntry): ApiKey {
  return {
    name,
    owner,
    hash,
    ...(tenants !== undefined && { tenants }),
    ...(expires !== undefined && { expires: Date.parse(expires) }),
  };
}

function jsonOf(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message may quote the text, and with it a key that somebody put here by mistake.
    throw new Error(`${path} is not JSON`);
  }
}

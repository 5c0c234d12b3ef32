import { randomBytes } from 'node:crypto';
import { digestOf } from '../../api/index.js';
import { readKeyEntries, writeKeyEntries, type KeyEntry } from './file.js';

/** What keys begin with, so that scanners for leaked secrets can know them. */
const PREFIX = 'a2at_';

export interface NewKey {
  owner: string;
  /** Default: the owner, with a number where that is taken. */
  name?: string | undefined;
  /** The tenants that it may use; default any. */
  tenants?: readonly string[] | undefined;
  /** Milliseconds since the epoch. */
  expires?: number | undefined;
}

/** Adds a key to the file, which need not be there yet. Gives the key, which nobody can read again. */
export async function createKey(path: string, given: NewKey): Promise<{ key: string; entry: KeyEntry }> {
  const entries = (await readKeyEntries(path)) ?? [];
  const name = given.name ?? freeName(given.owner, entries);
  if (entries.some((entry) => entry.name === name)) throw new Error(`There is a key '${name}' already`);
  const key = PREFIX + randomBytes(32).toString('base64url');
  const entry: KeyEntry = {
    name,
    owner: given.owner,
    hash: digestOf(key).toString('hex'),
    ...(given.tenants !== undefined && given.tenants.length > 0 && { tenants: [...given.tenants] }),
    created: new Date().toISOString(),
    ...(given.expires !== undefined && { expires: new Date(given.expires).toISOString() }),
  };
  await writeKeyEntries(path, [...entries, entry]);
  return { key, entry };
}

export async function listKeys(path: string): Promise<KeyEntry[]> {
  const entries = await readKeyEntries(path);
  if (entries === undefined) throw new Error(`There is no file ${path}`);
  return entries;
}

/** Takes a key out of the file by its name. */
export async function revokeKey(path: string, name: string): Promise<void> {
  const entries = await listKeys(path);
  const kept = entries.filter((entry) => entry.name !== name);
  if (kept.length === entries.length) throw new Error(`There is no key '${name}'`);
  await writeKeyEntries(path, kept);
}

function freeName(owner: string, entries: readonly KeyEntry[]): string {
  const taken = new Set(entries.map(({ name }) => name));
  for (let number = 1; ; number++) {
    const name = number === 1 ? owner : `${owner}-${number}`;
    if (!taken.has(name)) return name;
  }
}

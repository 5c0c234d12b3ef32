import { ApiKeys, digestOf, type ApiKey } from '../../api/index.js';

/** Keys of callers in tests, and the headers that carry them. */
export const KEYS = { alice: 'key-of-alice', bob: 'key-of-bob', acme: 'key-of-acme', old: 'key-of-old' };
export type CallerName = keyof typeof KEYS;

export function bearer(name: CallerName): Record<string, string> {
  return { authorization: `Bearer ${KEYS[name]}` };
}

export function apiKeys(): ApiKeys {
  const key = (name: CallerName, more: Partial<ApiKey> = {}): ApiKey => ({
    name,
    owner: name,
    hash: digestOf(KEYS[name]).toString('hex'),
    ...more,
  });
  return new ApiKeys([
    key('alice'),
    key('bob'),
    key('acme', { tenants: ['acme'] }),
    key('old', { expires: Date.now() - 1 }),
  ]);
}

import type { Logger } from 'pino';
import { anonymous, type Authenticator } from '../api/index.js';
import { watchApiKeys } from './api-keys/watch.js';
import type { Running } from './closing.js';
import type { Settings } from './settings.js';

/** How this server knows its callers: by API keys where there is a file of them, else not at all. */
export async function openCallers(
  { apiKeysFile }: Settings,
  log: Logger,
): Promise<Running & { authenticator: Authenticator }> {
  if (apiKeysFile === undefined) return { authenticator: anonymous, close: () => Promise.resolve() };
  const { keys, close } = await watchApiKeys(apiKeysFile, log);
  return { authenticator: keys, close };
}

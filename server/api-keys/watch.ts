import { unwatchFile, watchFile } from 'node:fs';
import type { Logger } from 'pino';
import { ApiKeys } from '../../api/index.js';
import type { Running } from '../closing.js';
import { apiKeyOf, readKeyEntries } from './file.js';

/** How often the file is looked at. By its time, not by events: those miss mounted and replaced files. */
const LOOK_EVERY = 1_000;

/**
 * The callers of a file of keys, kept in step with it: a key that is added works, and one that is taken out stops
 * working, within about a second. A file that cannot be read, or is broken, leaves the keys as they were and is
 * logged. Throws where that is so at the start.
 */
export async function watchApiKeys(path: string, log: Logger): Promise<Running & { keys: ApiKeys }> {
  const keys = new ApiKeys([]);
  const reload = async (): Promise<void> => {
    try {
      const loaded = await load(path);
      keys.replace(loaded);
      log.info({ keys: loaded.length }, 'API keys were read again');
    } catch (error) {
      log.error({ err: error }, 'API keys cannot be read; those before stay valid');
    }
  };
  const onChange = (): void => void reload();
  // Looked at first and then read, so that no change falls in between.
  watchFile(path, { interval: LOOK_EVERY, persistent: false }, onChange);
  const close = (): Promise<void> => {
    unwatchFile(path, onChange);
    return Promise.resolve();
  };
  try {
    keys.replace(await load(path));
    return { keys, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function load(path: string) {
  const entries = await readKeyEntries(path);
  if (entries === undefined) {
    throw new Error(
      `API_KEYS_FILE=${path}: there is no such file. a2a-temporal key create --owner NAME --file ${path} writes it.`,
    );
  }
  return entries.map(apiKeyOf);
}

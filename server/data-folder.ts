import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { tryFolderLock } from './folder-lock.js';

/** Where one server keeps everything: `DATA_DIR`. */
export interface DataFolder {
  readonly path: string;
  /** The journal's SQLite file, unless `DATABASE_URL` names another. */
  readonly journal: string;
  /** Temporal's state. */
  readonly temporalDatabase: string;
  readonly temporalLog: string;
  readonly serverLog: string;
  /** The workflow bundle and the module it is made from. */
  readonly bundle: string;
}

export function dataFolder(path: string): DataFolder {
  const root = resolve(path);
  return {
    path: root,
    journal: join(root, 'journal.db'),
    temporalDatabase: join(root, 'temporal.db'),
    temporalLog: join(root, 'temporal.log'),
    serverLog: join(root, 'server.log'),
    bundle: join(root, 'workflows'),
  };
}

/**
 * Makes the folder and takes it for this process: two embedded Temporal servers on one file would ruin it.
 * A folder whose owner was killed is free. Gives the function that lets it go.
 */
export async function takeDataFolder(folder: DataFolder): Promise<() => Promise<void>> {
  await mkdir(folder.path, { recursive: true, mode: 0o700 });
  const lock = await tryFolderLock(join(folder.path, 'in-use'));
  if ('owner' in lock) {
    throw new Error(
      `Another server (process ${lock.owner || 'unknown'}) uses ${folder.path}. Stop it, or set DATA_DIR to another folder.`,
    );
  }
  return lock.release;
}

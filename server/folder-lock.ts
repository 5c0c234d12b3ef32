import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const POLL = 250;
/** A lock without an owner's pid after this long was left by a process that died while making it. */
const OWNERLESS_AFTER = 10_000;

/**
 * Runs `work` while this process owns the folder `lock`; others on this machine wait for as long as the
 * owner lives. Making a folder is atomic everywhere, and the pid inside tells whether its owner is gone.
 * Two waiters that find a dead owner in the same instant may both go on: `work` must bear that.
 */
export async function withFolderLock<T>(
  lock: string,
  waiting: () => void,
  work: () => Promise<T>,
): Promise<T> {
  let told = false;
  for (;;) {
    const attempt = await tryFolderLock(lock);
    if (!('owner' in attempt)) {
      try {
        return await work();
      } finally {
        await attempt.release();
      }
    }
    if (!told) waiting();
    told = true;
    await delay(POLL);
  }
}

/** Takes the lock, or gives its owner's pid (0 while the owner is just taking or leaving it). */
export async function tryFolderLock(lock: string): Promise<{ release(): Promise<void> } | { owner: number }> {
  for (;;) {
    if (await take(lock)) return { release: () => rm(lock, { recursive: true, force: true }) };
    const owner = await ownerOf(lock);
    if (owner !== 'dead') return { owner };
    await discard(lock);
  }
}

async function take(lock: string): Promise<boolean> {
  try {
    await mkdir(lock);
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  }
  await writeFile(join(lock, 'pid'), String(process.pid));
  return true;
}

async function ownerOf(lock: string): Promise<number | 'dead'> {
  try {
    const pid = Number(await readFile(join(lock, 'pid'), 'utf8'));
    if (pid > 0) return isAlive(pid) ? pid : 'dead';
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error;
  }
  try {
    return Date.now() - (await stat(lock)).mtimeMs > OWNERLESS_AFTER ? 'dead' : 0;
  } catch {
    return 0; // The owner has just finished.
  }
}

/** By a rename, so that of several waiters one removes it. */
async function discard(lock: string): Promise<void> {
  const aside = `${lock}.stale-${process.pid}-${Date.now()}`;
  try {
    await rename(lock, aside);
    await rm(aside, { recursive: true, force: true });
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error;
  }
}

/** Whether a process with this id exists on this machine; a negative id asks for its process group. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isCode(error, 'EPERM');
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

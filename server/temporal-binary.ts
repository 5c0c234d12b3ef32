import { execFile } from 'node:child_process';
import { access, constants, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { installTemporal, TEMPORAL_CLI_VERSION } from './temporal-install.js';

export type TemporalSource =
  /** A server that runs already; nothing to start. `address` is `host:port`. */
  { kind: 'address'; address: string } | { kind: 'binary'; path: string };

export interface TemporalSearch {
  env: NodeJS.ProcessEnv;
  /** Gets a line for a person whenever something takes long. */
  report(line: string): void;
}

/**
 * Where Temporal comes from, in this order: `TEMPORAL_ADDRESS`, `TEMPORAL_CLI_PATH`, `temporal` on PATH,
 * our cache folder, the official download, `go install`. Throws an Error that says what to do when none
 * of them works.
 */
export async function findTemporal(search: TemporalSearch): Promise<TemporalSource> {
  const address = search.env['TEMPORAL_ADDRESS'];
  if (address) return { kind: 'address', address };
  return { kind: 'binary', path: await findTemporalBinary(search) };
}

/** As {@link findTemporal}, without the running server: the path of a Temporal CLI that runs. */
export async function findTemporalBinary({ env, report }: TemporalSearch): Promise<string> {
  const given = env['TEMPORAL_CLI_PATH'];
  if (given) {
    // A path that somebody set is meant: going on silently with another binary would hide the mistake.
    if (await runs(given)) return given;
    throw new Error(`TEMPORAL_CLI_PATH=${given} is not a Temporal CLI that runs here`);
  }
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    const candidate = join(folder, 'temporal');
    if (folder === '' || !(await isExecutable(candidate))) continue;
    if (await runs(candidate)) return candidate;
    report(`${candidate} does not answer 'temporal --version'; looking further`);
  }
  const cached = join(cacheFolder(env), `temporal-v${TEMPORAL_CLI_VERSION}`, 'temporal');
  if (await runs(cached)) return cached;
  await installTemporal({ target: cached, env, report, runs });
  return cached;
}

/** `$XDG_CACHE_HOME/a2a-temporal`, or `~/.cache/a2a-temporal`. */
export function cacheFolder(env: NodeJS.ProcessEnv): string {
  return join(env['XDG_CACHE_HOME'] || join(env['HOME'] || homedir(), '.cache'), 'a2a-temporal');
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

async function runs(path: string): Promise<boolean> {
  try {
    const { stdout } = await promisify(execFile)(path, ['--version'], { timeout: 20_000 });
    return /^temporal version/i.test(stdout);
  } catch {
    return false;
  }
}

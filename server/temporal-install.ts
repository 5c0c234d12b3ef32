import { execFile, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { withFolderLock } from './folder-lock.js';

/** Verified to build with `go install`; newer releases may need another Go or a replace directive. */
export const TEMPORAL_CLI_VERSION = '1.5.1';

const HEADERS_WITHIN = 10_000;
const DOWNLOAD_WITHIN = 10 * 60_000;
const PROGRESS_EVERY = 10_000;

export interface Installation {
  /** The file to make: `…/temporal-v1.5.1/temporal`. */
  target: string;
  env: NodeJS.ProcessEnv;
  report(line: string): void;
  runs(path: string): Promise<boolean>;
}

/**
 * Puts the Temporal CLI at `target`: the official download, else `go install`. It is made in a folder
 * beside and moved into place whole, so nobody ever sees half of it; a lock lets one process do the work
 * while others wait for the result.
 */
export async function installTemporal(installation: Installation): Promise<void> {
  const { target, report, runs } = installation;
  const folder = dirname(target);
  await mkdir(dirname(folder), { recursive: true });
  await withFolderLock(
    `${folder}.lock`,
    () => report('Another process is obtaining Temporal; waiting'),
    async () => {
      if (await runs(target)) return;
      const work = await mkdtemp(`${folder}.new-`);
      try {
        await obtain(installation, work);
        await rm(folder, { recursive: true, force: true });
        await rename(work, folder);
      } finally {
        await rm(work, { recursive: true, force: true });
      }
    },
  );
  if (!(await runs(target)))
    throw new Error(`The Temporal CLI at ${target} does not run; remove it and try again`);
}

async function obtain({ target, env, report, runs }: Installation, work: string): Promise<void> {
  const tries: { name: string; attempt: () => Promise<void> }[] = [
    { name: 'download', attempt: () => download(env, work, report) },
    { name: 'go install', attempt: () => goInstall(env, work, report) },
  ];
  const reasons: string[] = [];
  for (const { name, attempt } of tries) {
    try {
      await attempt();
      if (await runs(join(work, basename(target)))) return;
      throw new Error('the file does not run on this machine');
    } catch (error) {
      const reason = error instanceof Error ? reasonOf(error) : String(error);
      reasons.push(`  ${name}: ${reason}`);
      report(`  That failed (${reason})`);
    }
  }
  throw new Error(
    [
      'Temporal is needed and could not be obtained:',
      ...reasons,
      'Do one of these and start again:',
      '  - install the Temporal CLI (https://docs.temporal.io/cli) so that `temporal` is on PATH',
      '  - set TEMPORAL_CLI_PATH to a Temporal CLI',
      '  - set TEMPORAL_ADDRESS=host:port to use a Temporal server that runs already',
    ].join('\n'),
  );
}

/** `fetch failed` says nothing; its cause does. */
function reasonOf(error: Error): string {
  return error.message === 'fetch failed' && error.cause instanceof Error
    ? error.cause.message
    : error.message;
}

const PLATFORMS: Record<string, string> = { linux: 'linux', darwin: 'darwin' };
const ARCHITECTURES: Record<string, string> = { x64: 'amd64', arm64: 'arm64' };

async function download(env: NodeJS.ProcessEnv, work: string, report: (line: string) => void): Promise<void> {
  const platform = PLATFORMS[process.platform];
  const architecture = ARCHITECTURES[process.arch];
  if (!platform || !architecture) throw new Error(`there is none for ${process.platform} on ${process.arch}`);
  const base = env['TEMPORAL_DOWNLOAD_URL'] || 'https://temporal.download/cli/archive';
  report(`Downloading the Temporal CLI ${TEMPORAL_CLI_VERSION} (about 50 MB, once)`);

  // Two limits: a closed network has to show within seconds, a slow one may take minutes.
  const abort = new AbortController();
  const noAnswer = setTimeout(() => abort.abort(new Error('no answer')), HEADERS_WITHIN);
  const tooLong = setTimeout(() => abort.abort(new Error('the download took too long')), DOWNLOAD_WITHIN);
  try {
    const response = await fetch(
      `${base}/v${TEMPORAL_CLI_VERSION}?platform=${platform}&arch=${architecture}`,
      {
        signal: abort.signal,
      },
    );
    clearTimeout(noAnswer);
    if (!response.ok || !response.body) throw new Error(`the server answered ${response.status}`);
    const archive = join(work, 'temporal.tar.gz');
    await pipeline(Readable.fromWeb(response.body), createWriteStream(archive), { signal: abort.signal });
    await promisify(execFile)('tar', ['-xzf', archive, '-C', work, 'temporal']).catch((error: unknown) => {
      // A proxy's page, mostly; what tar says of it helps nobody.
      throw new Error('what came is not the archive', { cause: error });
    });
    await rm(archive);
  } finally {
    clearTimeout(noAnswer);
    clearTimeout(tooLong);
  }
}

async function goInstall(
  env: NodeJS.ProcessEnv,
  work: string,
  report: (line: string) => void,
): Promise<void> {
  const source = `github.com/temporalio/cli/cmd/temporal@v${TEMPORAL_CLI_VERSION}`;
  report(`Building the Temporal CLI from source: go install ${source} (some minutes, once)`);
  // -v names each package as it is compiled: the only sign of life that `go install` gives.
  const go = spawn('go', ['install', '-v', source], {
    cwd: work,
    env: { ...env, GOBIN: work },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let packages = 0;
  let tail = '';
  go.stderr.setEncoding('utf8').on('data', (text: string) => {
    packages += text.split('\n').length - 1;
    tail = (tail + text).slice(-2_000);
  });
  const began = Date.now();
  const progress = setInterval(() => {
    report(`  … ${packages} packages in ${Math.round((Date.now() - began) / 1000)} s`);
  }, PROGRESS_EVERY);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      go.on('error', reject);
      go.on('close', resolve);
    });
    if (code !== 0) throw new Error(`go ended with code ${code}: ${tail.trim().split('\n').at(-1) ?? ''}`);
  } finally {
    clearInterval(progress);
  }
}

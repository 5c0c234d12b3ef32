import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { cacheFolder, findTemporal } from '../../server/temporal-binary.js';
import { TEMPORAL_CLI_VERSION } from '../../server/temporal-install.js';

const run = promisify(execFile);
const CLI = '#!/bin/sh\necho "temporal version 1.2.3 (fake)"\n';
const BROKEN = '#!/bin/sh\necho "no such option" >&2\nexit 1\n';
/** Nothing listens there: a closed network, at once. */
const NO_DOWNLOAD = 'http://127.0.0.1:9/archive';

let folder: string;
let env: NodeJS.ProcessEnv;
const folders: string[] = [];
const reports: string[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'a2a-binary-'));
  folders.push(folder);
  reports.length = 0;
  env = {
    PATH: `${join(folder, 'first')}:${join(folder, 'second')}:/usr/bin:/bin`,
    HOME: folder,
    XDG_CACHE_HOME: join(folder, 'cache'),
    TEMPORAL_DOWNLOAD_URL: NO_DOWNLOAD,
  };
});
afterAll(() => Promise.all(folders.map((path) => rm(path, { recursive: true, force: true }))));

async function script(name: string, text: string): Promise<string> {
  const file = join(folder, name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  await chmod(file, 0o755);
  return file;
}

const cached = (): string =>
  join(folder, 'cache/a2a-temporal', `temporal-v${TEMPORAL_CLI_VERSION}`, 'temporal');
const find = () => findTemporal({ env, report: (line) => reports.push(line) });

/** Stands in for Go: puts a CLI where GOBIN says, slowly, and notes each call. */
const fakeGo = (): Promise<string> =>
  script(
    'second/go',
    `#!/bin/sh\necho "$@" >> ${folder}/go-calls\nsleep 1\nprintf '${CLI.replaceAll('\n', '\\n')}' > "$GOBIN/temporal"\nchmod 755 "$GOBIN/temporal"\n`,
  );

test('F01 TEMPORAL_ADDRESS comes first: no binary is needed', async () => {
  env['TEMPORAL_ADDRESS'] = 'temporal.example:7233';
  env['TEMPORAL_CLI_PATH'] = '/nowhere';
  expect(await find()).toEqual({ kind: 'address', address: 'temporal.example:7233' });
});

test('F01 TEMPORAL_CLI_PATH comes before PATH; one that does not run is an error, not passed over', async () => {
  await script('first/temporal', CLI);
  env['TEMPORAL_CLI_PATH'] = await script('mine/temporal-cli', CLI);
  expect(await find()).toEqual({ kind: 'binary', path: join(folder, 'mine/temporal-cli') });
  env['TEMPORAL_CLI_PATH'] = await script('mine/broken', BROKEN);
  await expect(find()).rejects.toThrow(/TEMPORAL_CLI_PATH=.*broken is not a Temporal CLI/);
});

test('F01 PATH comes before the cache; a binary there that does not run is passed over and told of', async () => {
  await script(cached().slice(folder.length + 1), CLI);
  const broken = await script('first/temporal', BROKEN);
  expect(await find()).toEqual({ kind: 'binary', path: cached() });
  expect(reports.join()).toContain(broken);
  const good = await script('second/temporal', CLI);
  expect(await find()).toEqual({ kind: 'binary', path: good });
});

test('F01 the cache folder is XDG_CACHE_HOME or ~/.cache', () => {
  expect(cacheFolder({ XDG_CACHE_HOME: '/x' })).toBe('/x/a2a-temporal');
  expect(cacheFolder({ HOME: '/home/ada' })).toBe('/home/ada/.cache/a2a-temporal');
});

async function serve(answer: (path: string) => Buffer | undefined): Promise<Server> {
  const server = createServer((request, response) => {
    const body = answer(request.url ?? '');
    response.writeHead(body ? 200 : 404).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  env['TEMPORAL_DOWNLOAD_URL'] = `http://127.0.0.1:${(server.address() as AddressInfo).port}/archive`;
  return server;
}

test('F01 it is downloaded for this platform, unpacked into the cache, and found there next time', async () => {
  await script('archive/temporal', CLI);
  await writeFile(join(folder, 'archive/LICENSE'), 'text');
  await run('tar', [
    '-czf',
    join(folder, 'temporal.tar.gz'),
    '-C',
    join(folder, 'archive'),
    'LICENSE',
    'temporal',
  ]);
  const archive = await readFile(join(folder, 'temporal.tar.gz'));
  const paths: string[] = [];
  const server = await serve((path) => {
    paths.push(path);
    return archive;
  });
  try {
    expect(await find()).toEqual({ kind: 'binary', path: cached() });
    expect(paths).toHaveLength(1);
    expect(paths[0]).toMatch(/^\/archive\/v1\.5\.1\?platform=(linux|darwin)&arch=(amd64|arm64)$/);
    expect(reports.join()).toContain('Downloading');
    expect(await find()).toEqual({ kind: 'binary', path: cached() });
    expect(paths).toHaveLength(1);
  } finally {
    server.close();
  }
});

test('F01 a download that is not an archive falls back to go install, with progress', async () => {
  const server = await serve(() => Buffer.from('<html>blocked by the proxy</html>'));
  await fakeGo();
  try {
    expect(await find()).toEqual({ kind: 'binary', path: cached() });
    expect(await readFile(join(folder, 'go-calls'), 'utf8')).toBe(
      `install -v github.com/temporalio/cli/cmd/temporal@v${TEMPORAL_CLI_VERSION}\n`,
    );
    expect(reports).toContain('  That failed (what came is not the archive)');
    expect(reports.join()).toContain('go install');
  } finally {
    server.close();
  }
});

test('F01 when nothing works the message says what was tried and what to do; nothing half-made stays', async () => {
  const failure = await find().catch((error: unknown) => (error as Error).message);
  expect(failure).toContain('download: ');
  expect(failure).toContain('go install: spawn go ENOENT');
  for (const way of ['https://docs.temporal.io/cli', 'TEMPORAL_CLI_PATH', 'TEMPORAL_ADDRESS']) {
    expect(failure).toContain(way);
  }
  await expect(stat(dirname(cached()))).rejects.toThrow('ENOENT');
  await expect(stat(`${dirname(cached())}.lock`)).rejects.toThrow('ENOENT');
});

test('F01 processes that need it at the same time build it once; a lock whose owner died does not hold them', async () => {
  await fakeGo();
  const lock = `${dirname(cached())}.lock`;
  await mkdir(lock, { recursive: true });
  const gone = await run(process.execPath, ['-e', 'console.log(process.pid)']);
  await writeFile(join(lock, 'pid'), gone.stdout.trim());

  const root = fileURLToPath(new URL('../..', import.meta.url));
  const install = () =>
    run(process.execPath, ['--import', 'tsx', 'server/install-temporal.ts'], { cwd: root, env });
  const results = await Promise.all([install(), install(), install()]);
  expect(results.map(({ stdout }) => stdout.trim())).toEqual([cached(), cached(), cached()]);
  expect((await readFile(join(folder, 'go-calls'), 'utf8')).trim().split('\n')).toHaveLength(1);
});

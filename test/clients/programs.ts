import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { withFolderLock } from '../../server/folder-lock.js';
import { cacheFolder } from '../../server/temporal-binary.js';

const run = promisify(execFile);
const GO_FOLDER = join(import.meta.dirname, 'go');
const PYTHON_FOLDER = join(import.meta.dirname, 'python');

/** A command and its first arguments. */
export type Program = readonly [command: string, ...args: string[]];

/**
 * What a language needs that this machine lacks; undefined where nothing is missing. In CI nothing may be: `.ci/run`
 * installs it.
 */
export async function missingTool(language: 'python' | 'go'): Promise<string | undefined> {
  const [command, args, wanted] =
    language === 'go'
      ? (['go', ['version'], 'go (1.21 or later; it fetches the release that go.mod names)'] as const)
      : ([
          'python3',
          ['-c', 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))'],
          'python3 (3.10 or later, with venv)',
        ] as const);
  try {
    await run(command, [...args], { timeout: 60_000 });
    return undefined;
  } catch {
    if (process.env['CI']) throw new Error(`The tests of official clients need ${wanted}`);
    console.warn(`Not tried: the official ${language} client. It needs ${wanted}`);
    return wanted;
  }
}

/** The program that speaks with the official Python client of this version, in an environment of its own. */
export async function pythonProgram(version: '1.0' | '0.3'): Promise<Program> {
  const pins = join(PYTHON_FOLDER, `requirements-${version}.txt`);
  const { stdout } = await run('python3', ['-c', 'import sys; print(sys.version, sys.prefix)']);
  const environment = await madeOnce(`python-${version}`, [await readFile(pins), stdout], async (folder) => {
    await run('python3', ['-m', 'venv', folder]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '-r', pins];
    await run(join(folder, 'bin/python'), pip);
  });
  const script = join(PYTHON_FOLDER, `conversation_${version.replace('.', '_')}.py`);
  return [join(environment, 'bin/python'), script];
}

/** The program that speaks with the official Go client, built from `test/clients/go`. */
export async function goProgram(): Promise<Program> {
  const names = (await readdir(GO_FOLDER)).sort();
  const sources = await Promise.all(names.map((name) => readFile(join(GO_FOLDER, name))));
  const { stdout } = await run('go', ['version'], { cwd: GO_FOLDER });
  const folder = await madeOnce('go', [...sources, stdout], async (target) => {
    await run('go', ['build', '-o', join(target, 'conversation'), '.'], { cwd: GO_FOLDER });
  });
  return [join(folder, 'conversation')];
}

/**
 * A folder in the cache of this user, made once for what it is made of: beside its place, then moved there whole. The
 * packages come from the registries that pip and go are set up with.
 */
async function madeOnce(
  name: string,
  from: readonly (Buffer | string)[],
  make: (folder: string) => Promise<void>,
): Promise<string> {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
  for (const part of from) hash.update(part).update('\0');
  const target = join(cacheFolder(process.env), 'clients', `${name}-${hash.digest('hex').slice(0, 16)}`);
  await mkdir(dirname(target), { recursive: true });
  const waiting = () => console.error(`Another process is preparing ${name}; waiting`);
  await withFolderLock(`${target}.lock`, waiting, async () => {
    if (await exists(target)) return;
    console.error(`Preparing the official ${name} client (once)`);
    const work = await mkdtemp(`${target}.new-`);
    try {
      await make(work);
      await rename(work, target);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  });
  return target;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const CI = resolve(import.meta.dirname, '../.ci/run');

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ci-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Puts a command before all others of its name. */
async function command(name: string, script: string): Promise<void> {
  await writeFile(join(folder, name), `#!/usr/bin/env bash\n${script}`);
  await chmod(join(folder, name), 0o755);
}

/** Runs `.ci/run` with an `npm` that does what is given for `ci`, `run check` and `test`. */
async function run(
  npm: { ci: string; check: string; test: string },
  env: NodeJS.ProcessEnv = {},
): Promise<{ code: unknown; last: string }> {
  const cases = `case "$*" in ci) ${npm.ci} ;; 'run check') ${npm.check} ;; test) ${npm.test} ;; esac`;
  await command('npm', cases);
  const path = `${folder}${delimiter}${process.env['PATH']}`;
  const child = spawn(CI, { env: { ...process.env, ...env, PATH: path } });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number];
  return { code, last: output.trimEnd().split('\n').at(-1) ?? '' };
}

const PASSING = "echo '7 passed, 0 failed'";

test.each([
  ['all is well', { ci: ':', check: ':', test: PASSING }, 0, '7 passed, 0 failed'],
  ['the install fails', { ci: 'exit 1', check: ':', test: PASSING }, 1, '0 passed, 1 failed'],
  ['a check fails', { ci: ':', check: 'exit 2', test: PASSING }, 1, '7 passed, 1 failed'],
  [
    'tests fail',
    { ci: ':', check: ':', test: "echo '5 passed, 2 failed, 1 skipped'; exit 1" },
    1,
    '5 passed, 2 failed',
  ],
  ['the test run breaks off', { ci: ':', check: ':', test: 'exit 1' }, 1, '0 passed, 1 failed'],
  ['the test run ends badly', { ci: ':', check: ':', test: `${PASSING}; exit 1` }, 1, '7 passed, 1 failed'],
  ['nothing was tested', { ci: ':', check: ':', test: ':' }, 1, '0 passed, 1 failed'],
  [
    'a question is asked',
    { ci: 'read -r answer && exit 0', check: ':', test: PASSING },
    1,
    '0 passed, 1 failed',
  ],
])('F01 CI when %s', async (_when, npm, code, last) => {
  expect(await run(npm)).toEqual({ code, last });
});

test.each([
  ['CI installs', 'true', 'update\ninstall -y python3 python3-venv\n'],
  ['another machine does without', '', ''],
])('C13 what the clients of other languages need: %s', async (_who, CI, installed) => {
  await command('python3', 'exit 1');
  await command('go', ':');
  await command('apt-get', `echo "$@" >> ${folder}/installed`);
  await writeFile(join(folder, 'installed'), '');
  await run({ ci: ':', check: ':', test: PASSING }, { CI });
  expect(await readFile(join(folder, 'installed'), 'utf8')).toBe(installed);
});

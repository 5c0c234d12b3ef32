import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const CI = resolve(import.meta.dirname, '../.ci/run');

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ci-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Runs `.ci/run` with an `npm` that does what is given for `ci`, `run check` and `test`. */
async function run(npm: {
  ci: string;
  check: string;
  test: string;
}): Promise<{ code: unknown; last: string }> {
  const script = [
    '#!/usr/bin/env bash',
    `case "$*" in ci) ${npm.ci} ;; 'run check') ${npm.check} ;; test) ${npm.test} ;; esac`,
  ];
  await writeFile(join(folder, 'npm'), script.join('\n'));
  await chmod(join(folder, 'npm'), 0o755);
  const child = spawn(CI, { env: { ...process.env, PATH: `${folder}${delimiter}${process.env['PATH']}` } });
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

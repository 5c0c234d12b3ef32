import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DefaultLogger } from '@temporalio/worker';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bundleWorkflows } from '../worker/bundle.js';
import { loadAgents } from '../worker/agents.js';

const ROOT = resolve(import.meta.dirname, '..');

let folder: string;
let logged: string;
beforeEach(async () => {
  logged = '';
  folder = await mkdtemp(join(tmpdir(), 'bundle-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

const logger = new DefaultLogger('INFO', ({ message }) => {
  logged += message;
});

/** The files that went into the bundle, as its source map names them. */
async function bundledFiles(agentFiles: string[]): Promise<string[]> {
  const bundle = await bundleWorkflows({ agentFiles, folder, logger });
  const code = 'code' in bundle ? bundle.code : '';
  const map = /sourceMappingURL=data:application\/json;charset=utf-8;base64,(\S+)\s*$/.exec(code)?.[1] ?? '';
  const { sources } = JSON.parse(Buffer.from(map, 'base64').toString('utf8')) as { sources: string[] };
  return sources;
}

/** Code of ours that may not run in a workflow, and packages other than Temporal's workflow side. */
function impure(files: string[]): string[] {
  return files.filter(
    (file) =>
      /\.activities\.|\/(activities|api|dispatch|journal|server|worker|wire)\/[^/]*\.ts/.test(
        file.split('node_modules')[0]!,
      ) || /node_modules\/(?!@temporalio\/(workflow|common|worker)\/|long\/|ms\/|nexus-rpc\/)/.test(file),
  );
}

test('H04 the bundle of all agents holds workflow code only', { timeout: 60_000 }, async () => {
  const files = await bundledFiles((await loadAgents(join(ROOT, 'agents'))).map(({ file }) => file));
  expect(files.some((file) => file.includes('workflows/task-workflow'))).toBe(true);
  expect(files.some((file) => file.includes('agents/marathon'))).toBe(true);
  expect(impure(files)).toEqual([]);
});

test('H04 an agent may import what runs anywhere', { timeout: 60_000 }, async () => {
  await mkdir(join(folder, 'shared'));
  await writeFile(join(folder, 'shared/words.ts'), "export const word: string = 'fine';");
  await writeFile(join(folder, 'careful.activities.ts'), "import 'node:fs'; export async function work() {}");
  const agent = join(folder, 'careful.ts');
  await writeFile(
    agent,
    "import type * as activities from './careful.activities.js'; import { word } from './shared/words.js'; " +
      'export default { code: word as keyof typeof activities };',
  );
  const files = await bundledFiles([agent]);
  expect(files.some((file) => file.endsWith('shared/words.ts'))).toBe(true);
  expect(impure(files)).toEqual([]);
});

test(
  'E10 a project of CommonJS, as npm init makes it, has its agents bundled too',
  { timeout: 60_000 },
  async () => {
    await writeFile(join(folder, 'package.json'), '{"type":"commonjs"}');
    const agent = join(folder, 'plain.ts');
    await writeFile(agent, "export default { code: 'plain' };");
    expect(await bundledFiles([agent])).toContainEqual(expect.stringContaining('plain.ts'));
  },
);

test(
  'H04 there is one copy of the workflow library, also beside another one',
  { timeout: 60_000 },
  async () => {
    // As where DATA_DIR lies in a project that has Temporal installed, too.
    for (const name of ['workflow', 'common']) {
      const other = join(folder, 'node_modules/@temporalio', name);
      await cp(join(ROOT, 'node_modules/@temporalio', name), other, { recursive: true });
    }
    const agent = join(folder, 'modest.ts');
    await writeFile(
      agent,
      "import { log } from '@temporalio/workflow'; export default { code: 'modest', log };",
    );
    const files = await bundledFiles([agent]);
    expect(files.some((file) => file.includes('@temporalio/workflow'))).toBe(true);
    expect(files.filter((file) => file.startsWith(join(folder, 'node_modules')))).toEqual([]);
  },
);

/** Agents that import what a workflow may not have, and what their authors are told. */
const CARELESS: [what: string, files: Record<string, string>, told: string[]][] = [
  [
    'a module of Node.js',
    { 'reader.ts': "import { readFileSync } from 'node:fs'; export default readFileSync;" },
    ['reader.ts imports node:fs\n', "import type * as activities from './reader.activities.js'"],
  ],
  [
    'a module of Node.js by its old name',
    { 'reader.ts': "import { readFileSync } from 'fs'; export default readFileSync;" },
    ['reader.ts imports fs\n', 'Move that code into reader.activities.ts'],
  ],
  [
    'something that imports one',
    {
      'reader.ts': "import { read } from './shared/files.js'; export default read;",
      'shared/files.ts': "export { readFileSync as read } from 'node:fs';",
    },
    ['reader.ts imports node:fs, by way of ', 'shared/files.ts\n'],
  ],
  [
    'its activities as code',
    {
      'reader.ts': "import { read } from './reader.activities.js'; export default read;",
      'reader.activities.ts': 'export async function read() { return 1; }',
    },
    ['reader.ts imports reader.activities.ts\n', 'import only its types'],
  ],
];

test.each(CARELESS)(
  'H04 an agent that imports %s is refused, and its author told what to do',
  { timeout: 60_000 },
  async (_what, files, told) => {
    await mkdir(join(folder, 'shared'));
    for (const [name, code] of Object.entries(files)) await writeFile(join(folder, name), code);
    const error = await bundledFiles([join(folder, 'reader.ts')]).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(Error);
    for (const words of told) expect((error as Error).message).toContain(words);
    // All is said: no page of webpack's beside it.
    expect(logged).not.toContain('ERROR');
  },
);

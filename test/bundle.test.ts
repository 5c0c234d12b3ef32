import { mkdtemp, rm, writeFile } from 'node:fs/promises';
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

test('H04 an agent that imports an activity as a value is caught', { timeout: 60_000 }, async () => {
  await writeFile(join(folder, 'careless.activities.ts'), 'export async function work() { return 1; }');
  const agent = join(folder, 'careless.ts');
  await writeFile(
    agent,
    "import { work } from './careless.activities.js'; export default { code: 'careless', run: work };",
  );
  expect(impure(await bundledFiles([agent]))).toEqual([expect.stringContaining('careless.activities')]);
});

test('H04 an agent that imports a module of Node.js is refused', { timeout: 60_000 }, async () => {
  const agent = join(folder, 'reader.ts');
  await writeFile(
    agent,
    "import { readFileSync } from 'node:fs'; export default { code: 'reader', run: readFileSync };",
  );
  await expect(bundledFiles([agent])).rejects.toThrow();
  expect(logged).toContain('ERROR in node:fs');
});

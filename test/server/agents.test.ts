import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadAgents, ownActivitiesOf } from '../../worker/index.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'a2a-agents-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const agent = (code: string): string => `
  export default {
    code: '${code}',
    card: { name: '${code}', description: 'An agent', skills: [{ id: 's', name: 's', description: 's', tags: [] }] },
    async run(task) { await task.complete('done'); },
  };
`;

async function write(files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
}

test('E01 each file is an agent, in TypeScript or JavaScript; tests, types and activities beside it are not', async () => {
  await write({
    'package.json': '{ "type": "module" }',
    'b.ts': `const code: string = 'b'; ${agent('b')}`,
    'a.mjs': agent('a'),
    'c.js': agent('c'),
    'b.activities.ts':
      'export async function look(input: { at: string }) { return input.at; }; export const limit = 3;',
    'b.test.ts': 'throw new Error("a test was loaded");',
    'b.d.ts': 'export {};',
    'notes.md': '# notes',
  });
  await mkdir(join(folder, 'prompts.ts.d'));
  const agents = await loadAgents(folder);
  expect(agents.map(({ definition }) => definition.code)).toEqual(['a', 'b', 'c']);
  const own = ownActivitiesOf(agents);
  expect(Object.keys(own)).toEqual(['b.look']);
  expect(await own['b.look']?.({ at: 'sea' }, undefined as never)).toBe('sea');
});

test('E10 agents in a package that is not an ES module load as well', async () => {
  await write({
    'package.json': '{}',
    'a.ts': agent('a'),
    'a.activities.ts': 'export async function go() { return 1; }',
  });
  const agents = await loadAgents(folder);
  expect(agents.map(({ definition }) => definition.code)).toEqual(['a']);
  expect(Object.keys(ownActivitiesOf(agents))).toEqual(['a.go']);
});

test.each<[string, Record<string, string>, RegExp]>([
  ['no default export', { 'x.ts': 'export const agent = 1;' }, /x\.ts has no agent as its default export/],
  ['an empty folder', {}, /There is no agent in .*: add a file/],
  [
    'two with one code',
    { 'x.ts': agent('same'), 'y.ts': agent('same') },
    /y\.ts: the code 'same' is taken by .*x\.ts/,
  ],
  ['a code that no address can hold', { 'x.ts': agent('My Agent') }, /x\.ts: agent code 'My Agent'/],
  ['broken source', { 'x.ts': 'export default {' }, /x\.ts cannot be loaded/],
  [
    'activities that throw',
    { 'x.ts': agent('x'), 'x.activities.ts': 'throw new Error("no disk");' },
    /x\.activities\.ts cannot be loaded: no disk/,
  ],
])('E01 F01 %s is an error that names the file', async (_, files, message) => {
  await write({ 'package.json': '{ "type": "module" }', ...files });
  await expect(loadAgents(folder)).rejects.toThrow(message);
});

import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RpcClient } from '../support/rpc-client.js';

const execute = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * What `npm pack` makes, in an empty project. The tarball is unpacked where npm would put it and its
 * dependencies are linked from here, so that no registry is needed.
 */
let project: string;
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'a2a-package-'));
  await execute('npm', ['pack', '--silent', '--pack-destination', project], { cwd: ROOT });
  const [tarball] = (await readdir(project)).filter((name) => name.endsWith('.tgz'));
  const modules = join(project, 'node_modules');
  const installed = join(modules, 'a2a-temporal');
  await mkdir(installed, { recursive: true });
  await execute('tar', ['-xzf', join(project, tarball ?? ''), '-C', installed, '--strip-components=1']);
  for (const name of await readdir(join(ROOT, 'node_modules'))) {
    if (!name.startsWith('.')) await symlink(join(ROOT, 'node_modules', name), join(modules, name));
  }
}, 180_000);
afterAll(() => rm(project, { recursive: true, force: true }));

const command = (): string => join(project, 'node_modules/a2a-temporal/dist/server/cli.js');

test('E10 the package holds what runs, and no source or test', async () => {
  const { stdout } = await execute('find', [join(project, 'node_modules/a2a-temporal'), '-type', 'f']);
  const files = stdout.trim().split('\n');
  expect(files.filter((file) => /\.ts$/.test(file) && !file.endsWith('.d.ts'))).toEqual([]);
  expect(files.filter((file) => /\/(test|bench)\//.test(file))).toEqual([]);
});

test('E10 init writes a project whose test passes; written twice it keeps what is there', async () => {
  const { stdout } = await execute('node', [command(), 'init'], { cwd: project });
  expect(stdout).toContain('wrote  agents/greeter.ts');
  expect(stdout).toContain('npm install && npm test && npm start');
  const again = await execute('node', [command(), 'init'], { cwd: project });
  expect(again.stdout).toContain('kept   agents/greeter.ts');

  const { scripts, type } = JSON.parse(await readFile(join(project, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
    type: string;
  };
  expect(type).toBe('module');
  expect(scripts['start']).toBe('a2a-temporal start --agents agents');
  const tested = await execute('npm', ['test'], { cwd: project });
  expect(tested.stdout).toMatch(/pass 2\b/);
  expect(tested.stdout).toMatch(/fail 0\b/);
  // Its types fit: what an editor shows the author.
  await execute(join(ROOT, 'node_modules/.bin/tsc'), ['-p', project], { cwd: project });
});

test('E10 init completes what npm init has made, and replaces nothing that means something', async () => {
  const folder = join(project, 'made-by-npm');
  await mkdir(folder);
  const file = join(folder, 'package.json');
  const scripts = { test: 'echo "Error: no test specified" && exit 1', start: 'mine' };
  await writeFile(file, JSON.stringify({ name: 'made', type: 'commonjs', scripts }));
  await execute('node', [command(), 'init', folder], { cwd: project });
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
    name: 'made',
    type: 'commonjs',
    scripts: { test: expect.stringContaining('--test agents/*.test.ts') as string, start: 'mine' },
    // Without its binary the journal cannot be opened.
    allowScripts: { 'better-sqlite3': true },
  });
  const tested = await execute('npm', ['test'], { cwd: folder });
  expect(tested.stdout).toMatch(/pass 2\b/);
});

test('E10 E01 the agents of docs/agents.md and docs/models.md are whole: their types fit and the tests pass', async () => {
  const folder = join(project, 'documented');
  await execute('node', [command(), 'init', folder], { cwd: project });
  const pages = ['docs/agents.md', 'docs/models.md'].map((page) => readFile(join(ROOT, page), 'utf8'));
  const text = (await Promise.all(pages)).join('\n');
  const files = [...text.matchAll(/```ts\n\/\/ (agents\/\S+)\n(.*?)```/gs)];
  expect(files.map(([, file]) => file)).toEqual([
    'agents/weather.ts',
    'agents/weather.activities.ts',
    'agents/weather.test.ts',
    'agents/answer.ts',
  ]);
  for (const [, file = '', code = ''] of files) await writeFile(join(folder, file), code);
  await execute(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder], { cwd: folder });
  const tested = await execute('npm', ['test'], { cwd: folder });
  expect(tested.stdout).toMatch(/pass 4\b/);
  expect(tested.stdout).toMatch(/fail 0\b/);
});

test('E10 F01 start runs the new agent, and it answers', async () => {
  const child: ChildProcess = spawn('node', [command(), 'start', '--agents', 'agents', '--port', '0'], {
    cwd: project,
    env: { ...process.env, TEMPORAL_PORT: '0', TEMPORAL_HEADLESS: 'true' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  try {
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await expect.poll(() => output, { timeout: 60_000 }).toMatch(/Ctrl-C stops it/);
    const [, url = ''] = /API +(http:\S+)/.exec(output) ?? [];
    const rpc = new RpcClient(`${url}/`);
    const asked = await rpc.send('Hello');
    expect(asked.status.message?.parts).toEqual([{ text: 'What is your name?' }]);
    const done = await rpc.send('Ada', { taskId: asked.id });
    expect(done.artifacts?.[0]?.parts).toEqual([{ text: 'Hello, Ada!' }]);
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
});

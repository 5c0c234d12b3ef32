import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { ownPackage } from './version.js';

/** What `init` did, file by file, relative to the project's folder. */
export interface Initialised {
  folder: string;
  written: string[];
  /** Were there already and stay as they are. */
  kept: string[];
}

/**
 * Writes a small project: one agent, its test, and what is needed to run them. Files that exist are kept;
 * an existing package.json gets the scripts it lacks.
 */
export async function initProject(path: string): Promise<Initialised> {
  const folder = resolve(path);
  await mkdir(folder, { recursive: true });
  const result: Initialised = { folder, written: [], kept: [] };
  for (const [file, content] of Object.entries(FILES)) {
    const target = join(folder, file);
    await mkdir(dirname(target), { recursive: true });
    const isNew = await writeFile(target, content, { flag: 'wx' }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
        throw error;
      },
    );
    (isNew ? result.written : result.kept).push(file);
  }
  await writePackageJson(join(folder, 'package.json'), packageName(folder));
  result.written.push('package.json');
  return result;
}

type PackageJson = { [key: string]: unknown } & Partial<
  Record<'scripts' | 'dependencies' | 'devDependencies', Record<string, string>>
> & { allowScripts?: Record<string, boolean> };

async function writePackageJson(file: string, name: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  const found = (
    text === undefined ? { name, version: '0.0.0', private: true } : JSON.parse(text)
  ) as PackageJson;
  const { version, allowScripts } = ownPackage();
  const { test, ...scripts } = found.scripts ?? {};
  const whole: PackageJson = {
    ...found,
    type: found['type'] ?? 'module',
    scripts: {
      start: 'a2a-temporal start --agents agents',
      test: test === undefined || isPlaceholder(test) ? 'node --import tsx --test agents/*.test.ts' : test,
      check: 'tsc',
      ...scripts,
    },
    // What is installed already, from wherever, stays.
    dependencies: { 'a2a-temporal': `^${version}`, ...found.dependencies },
    devDependencies: {
      '@types/node': '^20.19.0',
      tsx: '^4.20.0',
      typescript: '^6.0.0',
      ...found.devDependencies,
    },
    allowScripts: { ...allowScripts, ...found.allowScripts },
  };
  await writeFile(file, `${JSON.stringify(whole, undefined, 2)}\n`);
}

/** What `npm init` writes where there is no test. */
function isPlaceholder(script: string): boolean {
  return script.includes('no test specified');
}

function packageName(folder: string): string {
  return (
    basename(folder)
      .toLowerCase()
      .replace(/[^a-z0-9-]+/g, '-')
      .replace(/^-+|-+$/g, '') || 'my-agents'
  );
}

const AGENT = `import { defineAgent } from 'a2a-temporal';

/**
 * One file is one agent. \`run\` is durable: after a crash or a deploy it goes on at the line where it was, so
 * time, randomness and I/O come from \`task\` (or from a \`greeter.activities.ts\` beside this file).
 */
export default defineAgent({
  code: 'greeter',
  card: {
    name: 'Greeter',
    description: 'Greets you by your name',
    skills: [{ id: 'greet', name: 'Greet', description: 'Asks for a name and greets', tags: ['demo'] }],
  },

  async run(task) {
    const [, told] = /my name is (\\w+)/i.exec(task.text) ?? [];
    // The task waits for the reply, a second or a month, and costs no memory meanwhile.
    const name = told ?? (await task.ask('What is your name?'));
    await task.complete(\`Hello, \${name}!\`);
  },
});
`;

const AGENT_TEST = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testAgent } from 'a2a-temporal/testing';
import greeter from './greeter.js';

// No server, no Temporal, no waiting: the agent runs in virtual time.

test('greets by the name that it is told', async () => {
  const { task, text } = await testAgent(greeter, 'Hello, my name is Ada');
  assert.equal(task.status.state, 'TASK_STATE_COMPLETED');
  assert.equal(text, 'Hello, Ada!');
});

test('asks for a name that it is not told', async () => {
  const { questions, text } = await testAgent(greeter, { message: 'Hello', replies: ['Grace'] });
  assert.deepEqual(questions, ['What is your name?']);
  assert.equal(text, 'Hello, Grace!');
});
`;

const README = `# Agents

Agents for [a2a-temporal](https://www.npmjs.com/package/a2a-temporal): each file in \`agents/\` is one.

    npm install
    npm test       # the agents' tests; no server needed
    npm run check  # their types
    npm start      # the server with all agents; prints its addresses and a command to try

The server keeps its data in \`.data/\`.
`;

const TSCONFIG = `{
  "compilerOptions": {
    "target": "es2022",
    "module": "nodenext",
    "strict": true,
    "types": ["node"],
    "noEmit": true,
    "skipLibCheck": true
  },
  "include": ["agents"]
}
`;

const FILES: Record<string, string> = {
  'agents/greeter.ts': AGENT,
  'agents/greeter.test.ts': AGENT_TEST,
  'tsconfig.json': TSCONFIG,
  '.gitignore': 'node_modules/\n.data/\n',
  'README.md': README,
};

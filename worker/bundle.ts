import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, type BundleOptions, type WorkflowBundle } from '@temporalio/worker';
import { onlyAllowedImports } from './allowed-imports.js';

type WebpackConfiguration = Parameters<NonNullable<BundleOptions['webpackConfigHook']>>[0];

export interface BundleRequest {
  /** Agent files to bundle into the task workflow, absolute paths. */
  agentFiles: readonly string[];
  /** Where the generated entry module and the finished bundle are kept. */
  folder: string;
  logger?: BundleOptions['logger'];
}

interface CachedBundle {
  /** Content hash of every file that the bundle was made from. */
  sources: Record<string, string>;
  code: string;
}

/**
 * Bundles the task workflow with a folder's agents. It takes some seconds, so the result is kept with the
 * hashes of all the files that went into it, and used again while they are the same. Throws an Error that names
 * the agent where one imports what a workflow may not have.
 */
export async function bundleWorkflows(request: BundleRequest): Promise<WorkflowBundle> {
  await mkdir(request.folder, { recursive: true });
  const entryCode = entryModule(request.agentFiles);
  // Workers with other agents may share the folder.
  const name = `workflows-${hash(entryCode).slice(0, 12)}`;
  // Not `.js`: what that is depends on the package.json of the project around.
  const entry = join(request.folder, `${name}.mjs`);
  const cache = join(request.folder, `${name}.bundle.json`);
  const cached = await readCache(cache);
  if (cached && (await unchanged(cached.sources))) return { code: cached.code };
  await writeWhole(entry, entryCode);
  const files = new Set<string>([entry, fileURLToPath(import.meta.url)]);
  const { code } = await bundleWorkflowCode({
    workflowsPath: entry,
    preloadModules: [sourceFile('workflows/preload')],
    ...(request.logger && { logger: request.logger }),
    webpackConfigHook: (config) => ({
      ...config,
      resolve: {
        ...config.resolve,
        // The entry module lies outside of the package; its agents share the package's one copy of us.
        modules: [...(config.resolve?.modules ?? []), MODULES],
        alias: {
          ...(config.resolve?.alias as Record<string, string>),
          'a2a-temporal$': sourceFile('index'),
          // Folders above the entry module may hold other copies, and two of them in a bundle do not know
          // each other's objects.
          ...Object.fromEntries(ONE_COPY.map((name) => [name, packageFolder(name)])),
        },
        // Sources import `./name.js`, as Node.js demands; the file beside may be TypeScript.
        extensionAlias: { '.js': ['.ts', '.js'], '.mjs': ['.mts', '.mjs'] },
      },
      plugins: [...(config.plugins ?? []), collectFiles(files), onlyAllowedImports(request.agentFiles)],
    }),
  });
  const sources: Record<string, string> = {};
  for (const file of files) {
    const content = await readFile(file).catch(() => undefined);
    if (content) sources[file] = hash(content);
  }
  await writeWhole(cache, JSON.stringify({ sources, code } satisfies CachedBundle));
  return { code };
}

const ONE_COPY = ['@temporalio/workflow', '@temporalio/common'] as const;

/** Where a dependency of this package is installed. */
function packageFolder(name: (typeof ONE_COPY)[number]): string {
  return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
}

/** The folder in which this package's dependencies are installed. */
const MODULES = resolve(packageFolder('@temporalio/workflow'), '../..');

/** A file of this package: `.ts` from source, `.js` when built. */
function sourceFile(name: string): string {
  return fileURLToPath(new URL(`../${name}${extname(import.meta.url)}`, import.meta.url));
}

/** The code that ties the agents to the task workflow. Absolute paths: it lies in the data folder. */
function entryModule(agentFiles: readonly string[]): string {
  const workflows = sourceFile('workflows/index');
  return [
    `import { registerAgents } from ${JSON.stringify(workflows)};`,
    ...agentFiles.map((file, index) => `import agent${index} from ${JSON.stringify(file)};`),
    `registerAgents([${agentFiles.map((_, index) => `agent${index}`).join(', ')}]);`,
    `export * from ${JSON.stringify(workflows)};`,
    '',
  ].join('\n');
}

/** A webpack plugin that notes every file the bundle depends on. */
function collectFiles(files: Set<string>): NonNullable<WebpackConfiguration['plugins']>[number] {
  return {
    apply(compiler) {
      compiler.hooks.done.tap('a2a-temporal', ({ compilation }) => {
        for (const file of compilation.fileDependencies) files.add(file);
      });
    },
  };
}

async function readCache(file: string): Promise<CachedBundle | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as CachedBundle;
  } catch {
    return undefined;
  }
}

async function unchanged(sources: Record<string, string>): Promise<boolean> {
  for (const [file, expected] of Object.entries(sources)) {
    const content = await readFile(file).catch(() => undefined);
    if (content === undefined || hash(content) !== expected) return false;
  }
  return true;
}

function hash(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Another worker on the same folder never reads half a file. */
async function writeWhole(file: string, content: string): Promise<void> {
  const temporary = `${file}.${process.pid}`;
  await writeFile(temporary, content);
  await rename(temporary, file);
}

import { isBuiltin } from 'node:module';
import { basename, relative } from 'node:path';
import type { BundleOptions } from '@temporalio/worker';

type WebpackConfiguration = Parameters<NonNullable<BundleOptions['webpackConfigHook']>>[0];
type Plugin = NonNullable<WebpackConfiguration['plugins']>[number];

/** Temporal has replacements for these, by these names. */
const REPLACED = new Set(['assert', 'url', 'util']);
const ACTIVITIES = /\.activities\.(ts|mts|js|mjs)$/;

interface Forbidden {
  agent: string;
  /** The file that imports it: the agent, or something that the agent imports. */
  importer: string;
  what: string;
}

/**
 * A webpack plugin that stops where an agent imports, itself or by way of others, a module of Node.js or the
 * code of an activities file. Webpack and Temporal would say so too, or not at all for activities, but
 * not in whose file it is or what to do.
 */
export function onlyAllowedImports(agentFiles: readonly string[]): Plugin {
  return {
    apply(compiler) {
      compiler.hooks.compilation.tap('a2a-temporal', ({ hooks, moduleGraph }) => {
        hooks.finishModules.tap('a2a-temporal', (modules) => {
          const found: Forbidden[] = [];
          for (const module of modules) {
            const importer = resourceOf(module);
            if (importer === undefined) continue;
            for (const { dependency, module: imported } of moduleGraph.getOutgoingConnections(module)) {
              const what = forbidden(requestOf(dependency), resourceOf(imported));
              if (what === undefined) continue;
              const agent = agentOf(module);
              if (agent) found.push({ agent, importer, what });
            }
          }
          if (found.length > 0) throw new Error(explain(found));

          /** The agent through which a module came into the bundle. */
          function agentOf(module: Parameters<typeof moduleGraph.getIssuer>[0]): string | undefined {
            for (let at: typeof module | null | undefined = module; at; at = moduleGraph.getIssuer(at)) {
              const file = resourceOf(at);
              if (file !== undefined && agentFiles.includes(file)) return file;
            }
            return undefined;
          }
        });
      });
    },
  };
}

function forbidden(request: string | undefined, file: string | undefined): string | undefined {
  if (request !== undefined && isBuiltin(request) && !REPLACED.has(request)) return request;
  return file !== undefined && ACTIVITIES.test(file) ? basename(file) : undefined;
}

/** Of a module that is a file, its path. */
function resourceOf(module: object | null | undefined): string | undefined {
  return module && 'resource' in module && typeof module.resource === 'string' ? module.resource : undefined;
}

/** What stands in the import, of a dependency that is one. */
function requestOf(dependency: object | null | undefined): string | undefined {
  return dependency && 'request' in dependency && typeof dependency.request === 'string'
    ? dependency.request
    : undefined;
}

function explain(found: readonly Forbidden[]): string {
  const here = (file: string): string => relative(process.cwd(), file);
  const lines = found.map(({ agent, importer, what }) =>
    importer === agent
      ? `${here(agent)} imports ${what}`
      : `${here(agent)} imports ${what}, by way of ${here(importer)}`,
  );
  const [{ agent } = { agent: '' }] = found;
  const name = basename(agent).replace(/\.[^.]+$/, '');
  return [
    ...new Set(lines),
    'An agent is replayed after a crash and runs apart from Node.js; what it needs from there is an activity.',
    `Move that code into ${name}.activities.ts, import only its types, and call it through the task:`,
    `  import type * as activities from './${name}.activities.js';`,
    '  const { … } = task.activities<typeof activities>();',
  ].join('\n');
}

import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { tsImport } from 'tsx/esm/api';
import { defineAgent, type AgentDefinition } from '../core/agent.js';
import type { OwnActivity } from '../activities/own.js';

export interface AgentFile {
  /** Absolute path. */
  file: string;
  definition: AgentDefinition;
  /** Functions of the `NAME.activities` file beside it, by name. */
  activities: Record<string, OwnActivity>;
}

const SOURCE = /\.(ts|mts|js|mjs)$/;
const NOT_AN_AGENT = /\.(activities|test|spec|d)\.(ts|mts|js|mjs)$/;

/**
 * Loads a folder of agents: each `NAME.ts` (or `.js`, `.mjs`) is one agent, its default export made by
 * `defineAgent`; the functions of `NAME.activities.ts` are its own activities. Tests beside them are left
 * out. Sorted by file name. Throws an Error that names the file at fault.
 */
export async function loadAgents(folder: string): Promise<AgentFile[]> {
  const root = resolve(folder);
  let names: string[];
  try {
    names = (await readdir(root)).filter((name) => SOURCE.test(name)).sort();
  } catch (error) {
    throw new Error(`The agents folder ${root} cannot be read`, { cause: error });
  }
  const agents: AgentFile[] = [];
  for (const name of names.filter((candidate) => !NOT_AN_AGENT.test(candidate))) {
    const file = join(root, name);
    const definition = readDefinition(file, await importFile(file));
    const twin = agents.find((agent) => agent.definition.code === definition.code);
    if (twin) throw new Error(`${file}: the code '${definition.code}' is taken by ${twin.file}`);
    const beside = names.find(
      (other) => other.replace(SOURCE, '') === `${name.replace(SOURCE, '')}.activities`,
    );
    const activities = beside ? readActivities(await importFile(join(root, beside))) : {};
    agents.push({ file, definition, activities });
  }
  if (agents.length === 0) throw new Error(`There is no agent in ${root}: add a file such as hello.ts`);
  return agents;
}

/** Every agent's own activities as the worker registers them: `{code}.{function}`. */
export function ownActivitiesOf(agents: readonly AgentFile[]): Record<string, OwnActivity> {
  return Object.fromEntries(
    agents.flatMap(({ definition, activities }) =>
      Object.entries(activities).map(([name, run]) => [`${definition.code}.${name}`, run]),
    ),
  );
}

type Module = Record<string, unknown>;

async function importFile(file: string): Promise<Module> {
  const url = pathToFileURL(file).href;
  try {
    // TypeScript works in an installed package too: tsx comes with us, no build step is asked of the user.
    const module = (await (/\.m?ts$/.test(file) ? tsImport(url, import.meta.url) : import(url))) as Module;
    // In a package without "type": "module" the file is CommonJS, and its exports sit below `default`.
    const inner = module['default'];
    return isModule(inner) && '__esModule' in inner ? inner : module;
  } catch (error) {
    throw new Error(`${file} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

function readDefinition(file: string, module: Module): AgentDefinition {
  const found = module['default'];
  if (!isModule(found) || typeof found['run'] !== 'function' || !isModule(found['card'])) {
    throw new Error(`${file} has no agent as its default export: export default defineAgent({ … })`);
  }
  try {
    return defineAgent(found as unknown as AgentDefinition);
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

function readActivities(module: Module): Record<string, OwnActivity> {
  const functions = Object.entries(module).filter(
    ([name, value]) => name !== 'default' && typeof value === 'function',
  );
  return Object.fromEntries(functions) as Record<string, OwnActivity>;
}

function isModule(value: unknown): value is Module {
  return typeof value === 'object' && value !== null;
}

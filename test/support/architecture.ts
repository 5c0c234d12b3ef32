import { createRequire } from 'node:module';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { cruise, type ICruiseResult, type IConfiguration } from 'dependency-cruiser';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';

const configuration = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as IConfiguration;

export const RULES: string[] = (configuration.forbidden ?? []).map((rule) => rule.name ?? '');

const ROOMS =
  /^(core|wire|journal|dispatch|webhooks|activities|workflows|worker|api|server|agents|testing|bench|demo|test)$/;

/** Broken import rules below `root`, as `rule: from -> to`, sorted. */
export async function brokenImports(root: string): Promise<string[]> {
  const rooms = readdirSync(root).filter((name) => ROOMS.test(name) || name === 'index.ts');
  const { output } = await cruise(
    rooms,
    {
      ...configuration.options,
      ruleSet: { forbidden: configuration.forbidden ?? [] },
      validate: true,
      baseDir: root,
    },
    undefined,
    { tsConfig: extractTSConfig(join(root, 'tsconfig.json')) },
  );
  const { violations } = (output as ICruiseResult).summary;
  return violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`).sort();
}

export interface SourceFile {
  path: string;
  lines: number;
}

/** The TypeScript files of the repository, tests aside. */
export function sourceFiles(root: string): SourceFile[] {
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && ROOMS.test(entry.name) && entry.name !== 'test')
    .flatMap((room) =>
      readdirSync(join(root, room.name), { recursive: true, encoding: 'utf8' }).map((path) =>
        join(room.name, path),
      ),
    )
    .filter((path) => path.endsWith('.ts') && !path.includes('node_modules'))
    .map((path) => ({ path, lines: readFileSync(join(root, path), 'utf8').split('\n').length - 1 }));
}

const CATCH_ALL = /^(utils?|utilities|helpers?|misc|common|shared|stuff)$/i;

/** What breaks the rules of size and naming, one sentence each. `long` lists files that may be longer. */
export function badFiles(files: readonly SourceFile[], long: ReadonlyMap<string, string>): string[] {
  const tooLong = files
    .filter(({ path, lines }) => lines > 300 && !long.has(path))
    .map(({ path, lines }) => `${path} has ${lines} lines: split it by idea`);
  const catchAll = files
    .filter(({ path }) => path.split('/').some((name) => CATCH_ALL.test(basename(name, '.ts'))))
    .map(({ path }) => `${path} is named after no idea`);
  const stale = [...long.keys()]
    .filter((path) => !files.some((file) => file.path === path && file.lines > 300))
    .map((path) => `${path} is listed as long and is not`);
  return [...tooLong, ...catchAll, ...stale];
}

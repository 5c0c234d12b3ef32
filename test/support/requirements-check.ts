import type { Coverage, Requirement } from './requirements.js';

/** A test as the check sees it: where it is, its full name, how it ended. */
export interface TestOutcome {
  file: string;
  name: string;
  state: 'passed' | 'failed' | 'skipped';
}

export interface Verdict {
  /** Ids that passing tests name. */
  named: string[];
  /** Ids of the manifest by what it says of them. */
  byCoverage: Record<Coverage, string[]>;
  /** What is wrong, one sentence each. */
  faults: string[];
}

const ID = /\b[A-FHX]\d\d\b/g;

export function idsIn(name: string): string[] {
  return name.match(ID) ?? [];
}

/**
 * Holds the manifest against what ran. `whole` is false for a run of some tests only, which can say nothing
 * of the ids that it did not meet.
 */
export function checkRequirements(
  manifest: ReadonlyMap<string, Requirement>,
  outcomes: readonly TestOutcome[],
  whole: boolean,
): Verdict {
  const faults: string[] = [];
  const named = new Set<string>();
  const filesWithIds = new Map<string, boolean>();
  for (const { file, name, state } of outcomes) {
    const ids = idsIn(name);
    filesWithIds.set(file, (filesWithIds.get(file) ?? false) || ids.length > 0);
    for (const id of ids) {
      if (!manifest.has(id)) faults.push(`${id} is not in the manifest, but '${name}' in ${file} names it`);
      else if (state === 'passed') named.add(id);
    }
  }
  for (const [file, hasIds] of filesWithIds) {
    if (!hasIds && whole) faults.push(`no test in ${file} names a requirement`);
  }

  const byCoverage: Record<Coverage, string[]> = { covered: [], part: [], open: [] };
  for (const [id, { coverage }] of manifest) {
    byCoverage[coverage].push(id);
    if (!whole) continue;
    if (coverage === 'open' && named.has(id))
      faults.push(`${id} is open in the manifest, but a test proves it`);
    if (coverage !== 'open' && !named.has(id))
      faults.push(`${id} is ${coverage}, but no passing test names it`);
  }
  return { named: [...named].sort(), byCoverage, faults };
}

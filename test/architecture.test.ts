import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { badFiles, brokenImports, RULES, sourceFiles } from './support/architecture.js';

const ROOT = resolve(import.meta.dirname, '..');

/** Files that are one idea and longer than 300 lines all the same, and why. */
const LONG = new Map([['core/journal.ts', 'one interface, half of it comments']]);

describe('H01 imports go one way', () => {
  test('H01 the repository breaks no rule', async () => {
    expect(await brokenImports(ROOT)).toEqual([]);
  });

  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'architecture-'));
    for (const name of ['package.json', 'tsconfig.json']) cpSync(join(ROOT, name), join(root, name));
    symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  });
  afterEach(() => {
    rmSync(root, { recursive: true });
  });

  function write(files: Record<string, string>): void {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
  }

  const X = 'export const x = 1;';
  /** For each rule a pair of files that breaks it. */
  const BROKEN: [rule: string, files: Record<string, string>][] = [
    ['core-is-pure', { 'core/a.ts': "import 'node:fs';" }],
    ['core-is-pure', { 'core/a.ts': "import 'zod';" }],
    ['wire-imports-core-only', { 'wire/a.ts': "import '../journal/b.js';", 'journal/b.ts': X }],
    ['wire-does-no-io', { 'wire/a.ts': "import 'node:http';" }],
    ['journal-imports-core-only', { 'journal/a.ts': "import '../wire/b.js';", 'wire/b.ts': X }],
    ['dispatch-imports-core-only', { 'dispatch/a.ts': "import '../journal/b.js';", 'journal/b.ts': X }],
    [
      'webhooks-import-core-and-wire-only',
      { 'webhooks/a.ts': "import '../journal/b.js';", 'journal/b.ts': X },
    ],
    ['activities-below-the-worker', { 'activities/a.ts': "import '../dispatch/b.js';", 'dispatch/b.ts': X }],
    ['api-below-the-server', { 'api/a.ts': "import '../dispatch/b.js';", 'dispatch/b.ts': X }],
    [
      'workflows-import-core-and-activity-types',
      { 'workflows/a.ts': "import '../journal/b.js';", 'journal/b.ts': X },
    ],
    [
      'workflows-import-activities-as-types',
      { 'workflows/a.ts': "import '../activities/b.js';", 'activities/b.ts': X },
    ],
    ['workflows-stay-in-the-sandbox', { 'workflows/a.ts': "import '@temporalio/client';" }],
    ['workflows-stay-in-the-sandbox', { 'workflows/a.ts': "import 'node:fs';" }],
    ['agents-import-the-package-only', { 'agents/a.ts': "import '../core/b.js';", 'core/b.ts': X }],
    [
      'agents-import-activities-as-types',
      { 'agents/a.ts': "import './a.activities.js';", 'agents/a.activities.ts': X },
    ],
    ['index-exports-core-only', { 'index.ts': "import './journal/b.js';", 'journal/b.ts': X }],
    ['testing-needs-no-server', { 'testing/a.ts': "import '../journal/b.js';", 'journal/b.ts': X }],
    ['api-and-worker-belong-to-the-server', { 'journal/a.ts': "import '../api/b.js';", 'api/b.ts': X }],
    ['api-and-worker-do-not-meet', { 'worker/a.ts': "import '../api/b.js';", 'api/b.ts': X }],
    ['nobody-imports-the-server', { 'api/a.ts': "import '../server/b.js';", 'server/b.ts': X }],
    ['product-imports-no-test-or-bench', { 'api/a.ts': "import '../bench/b.js';", 'bench/b.ts': X }],
    ['product-needs-no-dev-dependency', { 'api/a.ts': "import 'vitest';" }],
    ['no-cycles', { 'core/a.ts': "import './b.js';", 'core/b.ts': "import './a.js';" }],
    ['all-imports-resolve', { 'core/a.ts': "import './nowhere.js';" }],
  ];

  test.each(BROKEN)('H01 %s is caught when it is broken', async (rule, files) => {
    write(files);
    expect((await brokenImports(root)).map((violation) => violation.split(':')[0])).toContain(rule);
  });

  test('H01 every rule is broken once above', () => {
    expect([...new Set(BROKEN.map(([rule]) => rule))].sort()).toEqual([...RULES].sort());
  });

  test('H01 what is allowed stays allowed', async () => {
    write({
      'core/a.ts': "import type { B } from './b.js'; export const x: B = 1;",
      'core/b.ts': "import './a.js'; export type B = number;",
      'index.ts': "export { x } from './core/a.js';",
      'wire/a.ts': "import '../core/a.js'; import 'zod';",
      'journal/a.ts': "import '../core/a.js'; import 'node:fs'; import 'kysely';",
      'webhooks/a.ts': "import '../core/a.js'; import '../wire/a.js'; import 'undici';",
      'activities/a.ts': "import '../journal/a.js'; export type Activities = object;",
      'workflows/a.ts':
        "import type { Activities } from '../activities/a.js'; import '@temporalio/workflow'; export type A = Activities;",
      'agents/a.activities.ts': "import 'node:fs'; export type Own = object;",
      'agents/a.ts':
        "import '../index.js'; import type { Own } from './a.activities.js'; export type B = Own;",
      'api/a.ts': "import '../journal/a.js'; import 'express';",
      'worker/a.ts': "import '../activities/a.js'; import '@temporalio/worker';",
      'server/a.ts': "import '../api/a.js'; import '../worker/a.js';",
      'bench/a.ts': "import '../server/a.js'; import 'vitest';",
    });
    expect(await brokenImports(root)).toEqual([]);
  });
});

describe('H02 files of one idea', () => {
  test('H02 none is too long or named after nothing', () => {
    expect(badFiles(sourceFiles(ROOT), LONG)).toEqual([]);
  });

  test('H02 the rules are caught when they are broken', () => {
    const files = [
      { path: 'api/everything.ts', lines: 301 },
      { path: 'api/utils.ts', lines: 10 },
      { path: 'journal/helpers/rows.ts', lines: 10 },
      { path: 'journal/rows.ts', lines: 300 },
    ];
    expect(badFiles(files, new Map([['journal/rows.ts', 'no reason left']]))).toEqual([
      expect.stringContaining('api/everything.ts has 301 lines'),
      expect.stringContaining('api/utils.ts is named'),
      expect.stringContaining('journal/helpers/rows.ts is named'),
      expect.stringContaining('journal/rows.ts is listed as long'),
    ]);
  });
});

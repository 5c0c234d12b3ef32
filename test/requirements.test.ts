import { expect, test } from 'vitest';
import { checkRequirements, idsIn, type TestOutcome } from './support/requirements-check.js';
import { REQUIREMENTS, type Requirement } from './support/requirements.js';

const requirement = (coverage: Requirement['coverage']): Requirement => ({
  phase: 'foundation',
  coverage,
  text: 'a promise',
});
const passed = (name: string, file = 'test/some.test.ts'): TestOutcome => ({ file, name, state: 'passed' });

test('H03 ids are read from names, also several and beside punctuation', () => {
  expect(idsIn('A06/B07, X21: a name about A2A and the task.0192f4c8')).toEqual(['A06', 'B07', 'X21']);
});

test('H03 agreement has no faults', () => {
  const manifest = new Map([
    ['A01', requirement('covered')],
    ['A02', requirement('part')],
    ['A03', requirement('open')],
  ]);
  const verdict = checkRequirements(manifest, [passed('A01 one'), passed('A02 two'), passed('plain')], true);
  expect(verdict.faults).toEqual([]);
  expect(verdict.named).toEqual(['A01', 'A02']);
  expect(verdict.byCoverage).toEqual({ covered: ['A01'], part: ['A02'], open: ['A03'] });
});

test.each<[what: string, coverage: Requirement['coverage'], outcome: TestOutcome, fault: RegExp]>([
  ['an unknown id', 'open', passed('A99 x'), /A99 is not in the manifest/],
  ['a covered id that nothing names', 'covered', passed('F01 x'), /A01 is covered, but no passing test/],
  ['a covered id whose test failed', 'covered', { ...passed('A01 x'), state: 'failed' }, /A01 is covered/],
  [
    'a covered id whose test was skipped',
    'covered',
    { ...passed('A01 x'), state: 'skipped' },
    /A01 is covered/,
  ],
  ['an open id that a test proves', 'open', passed('A01 x'), /A01 is open in the manifest/],
  ['a file without ids', 'open', passed('no id here'), /no test in test\/some.test.ts names/],
])('H03 %s is a fault', (_what, coverage, outcome, fault) => {
  const manifest = new Map([
    ['A01', requirement(coverage)],
    ['F01', requirement('part')],
  ]);
  const outcomes = [passed('F01 elsewhere', 'test/other.test.ts'), outcome];
  expect(checkRequirements(manifest, outcomes, true).faults).toEqual([expect.stringMatching(fault)]);
});

test('H03 a run of some tests says nothing of the ids that it did not meet', () => {
  const manifest = new Map([
    ['A01', requirement('covered')],
    ['A02', requirement('open')],
  ]);
  expect(checkRequirements(manifest, [passed('A02 early')], false).faults).toEqual([]);
});

test('H03 the manifest has every id of the contract once', () => {
  const counts: Record<string, number> = {};
  for (const id of REQUIREMENTS.keys()) counts[id.charAt(0)] = (counts[id.charAt(0)] ?? 0) + 1;
  expect(counts).toMatchObject({ A: 20, B: 12, C: 14, D: 6, E: 10, F: 11, X: 32 });
});

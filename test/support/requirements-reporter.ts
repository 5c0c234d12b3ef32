import { readdirSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { SerializedError } from 'vitest';
import type { Reporter, TestModule, TestRunEndReason, Vitest } from 'vitest/node';
import { checkRequirements, type TestOutcome } from './requirements-check.js';
import { REQUIREMENTS } from './requirements.js';

/**
 * Prints which requirements the run has shown and which are open, and last of all the line
 * `N passed, N failed`. What is wrong with the manifest counts as a failure.
 */
export class RequirementsReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(
    modules: readonly TestModule[],
    unhandled: readonly SerializedError[],
    reason: TestRunEndReason,
  ): void {
    const outcomes: TestOutcome[] = [];
    let broken = unhandled.length;
    for (const module of modules) {
      broken += module.errors().length;
      for (const suite of module.children.allSuites()) broken += suite.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        // A test without a result was cut off: it has shown nothing.
        outcomes.push({
          file: module.relativeModuleId,
          name: test.fullName,
          state: state === 'pending' ? 'failed' : state,
        });
      }
    }
    const whole = reason !== 'interrupted' && this.#isWhole(modules);
    const verdict = checkRequirements(REQUIREMENTS, outcomes, whole);
    const count = (state: TestOutcome['state']) =>
      outcomes.filter((outcome) => outcome.state === state).length;
    const failed = count('failed') + broken + verdict.faults.length;
    const skipped = count('skipped');

    const { covered, part, open } = verdict.byCoverage;
    console.log(`Requirements named by passing tests (${verdict.named.length}): ${verdict.named.join(' ')}`);
    if (whole) {
      console.log(`In part (${part.length}): ${part.join(' ')}`);
      console.log(
        `Open (${open.length} of ${covered.length + part.length + open.length}): ${open.join(' ')}`,
      );
    }
    for (const fault of verdict.faults) console.log(`Manifest: ${fault}`);
    if (verdict.faults.length > 0) process.exitCode = 1;
    console.log(`\n${count('passed')} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  }

  /** Whether every test file ran, and every test in it. */
  #isWhole(modules: readonly TestModule[]): boolean {
    if (this.#vitest?.config.testNamePattern !== undefined) return false;
    const root = this.#vitest?.config.root ?? process.cwd();
    const ran = new Set(modules.map((module) => relative(root, module.moduleId)));
    return readdirSync(resolve(root, 'test'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.test.ts'))
      .every((path) => ran.has(`test/${path}`));
  }
}

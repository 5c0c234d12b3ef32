/** The worker loads agents apart from the tests: the two meet in the global symbol table. */
const ABORTED = Symbol.for('a2a-temporal.test.aborted-calls');
const counters = globalThis as unknown as Record<symbol, number | undefined>;

/** Calls of the script agent's `work` that saw their signal abort, in this process. */
export function abortedCalls(): number {
  return counters[ABORTED] ?? 0;
}

export function countAbortedCall(): void {
  counters[ABORTED] = abortedCalls() + 1;
}

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canFollow, isSettled, isTerminal, statesTo } from '../../core/states.js';
import { TASK_STATES, type TaskState } from '../../core/task.js';

const short = (state: TaskState): string => state.replace('TASK_STATE_', '');
const state = fc.constantFrom(...TASK_STATES);

test('A05 the transitions are these and no others', () => {
  const table = Object.fromEntries(
    TASK_STATES.map((from) => [
      short(from),
      TASK_STATES.filter((to) => canFollow(from, to))
        .map(short)
        .sort(),
    ]),
  );
  expect(table).toEqual({
    SUBMITTED: ['AUTH_REQUIRED', 'CANCELED', 'FAILED', 'REJECTED', 'WORKING'],
    WORKING: ['AUTH_REQUIRED', 'CANCELED', 'COMPLETED', 'FAILED', 'INPUT_REQUIRED', 'REJECTED', 'WORKING'],
    INPUT_REQUIRED: ['CANCELED', 'FAILED', 'WORKING'],
    AUTH_REQUIRED: ['CANCELED', 'FAILED', 'WORKING'],
    COMPLETED: [],
    FAILED: [],
    CANCELED: [],
    REJECTED: [],
  });
});

test('A04 A06 a terminal state has no successor, and every terminal state is settled', () => {
  fc.assert(
    fc.property(state, state, (from, to) => {
      if (!isTerminal(from)) return;
      expect(statesTo(from, to)).toBeUndefined();
      expect(isSettled(from)).toBe(true);
    }),
  );
});

test('A05 states in between are filled in so that each step is valid', () => {
  fc.assert(
    fc.property(state, state, (from, to) => {
      const path = statesTo(from, to);
      if (path === undefined) return;
      expect(path.at(-1)).toBe(to);
      path.reduce((before, after) => {
        expect(canFollow(before, after)).toBe(true);
        return after;
      }, from);
    }),
  );
  expect(statesTo('TASK_STATE_SUBMITTED', 'TASK_STATE_COMPLETED')).toEqual([
    'TASK_STATE_WORKING',
    'TASK_STATE_COMPLETED',
  ]);
});

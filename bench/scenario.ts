import type { Stack } from './stack.js';

/** One line of the report. */
export interface Figure {
  what: string;
  /** Of `ours` and `peer`. */
  unit: string;
  ours: number;
  peer?: { name: string; value: number };
  /** What the target speaks of, where that is not `ours`: a ratio as a rule. */
  ratio?: number;
  target?: Target;
}

export type Target = { atMost: number } | { atLeast: number };

export interface Scenario {
  /** For `--only`. */
  name: string;
  title: string;
  /** Shown beside a target that was missed: what limits the figure. */
  limit: string;
  run(stack: Stack): Promise<Figure[]>;
}

/** What the target is compared with. */
export function compared(figure: Figure): number {
  return figure.ratio ?? figure.ours;
}

/** Undefined for a figure without a target. */
export function isMet({ target, ...figure }: Figure): boolean | undefined {
  if (target === undefined) return undefined;
  const value = compared(figure);
  return 'atMost' in target ? value <= target.atMost : value >= target.atLeast;
}

import type { z } from 'zod';

/** One environment variable. `default` is text as one would write it; undefined where there is none. */
export interface Setting<T> {
  schema: z.ZodType<T, string | undefined>;
  default?: string;
  meaning: string;
  /** Never printed, not even when it is wrong. */
  secret?: boolean;
}

/** Keeps each entry's own type while checking it against {@link Setting}. */
export function settings<T extends Record<string, Setting<unknown>>>(table: T): T {
  return table;
}

import { z } from 'zod';
import type { Json, Metadata } from '../core/task.js';
import type { DecodeLimits } from './codec.js';
import { refusalOf } from './nesting.js';
import { string } from './protojson.js';

/** Fields that mean the same in every dialect, and the bounds that they have here. */

const MAX_ID_LENGTH = 256;
// Controls would break headers and logs; a lone surrogate is not Unicode and would not survive UTF-8.
const UNACCEPTABLE = /[\p{Cc}\p{Surrogate}]/u;

/**
 * A name chosen by the client that the server keeps: contextId, messageId, tenant. 1 to 256 characters
 * (UTF-16 units), well-formed Unicode, no control characters. Anything else is refused, never changed
 * (section 3.4.1).
 */
export const name = () =>
  string()
    .max(MAX_ID_LENGTH, { error: `must have at most ${MAX_ID_LENGTH} characters` })
    .refine((value) => !UNACCEPTABLE.test(value), {
      error: 'must be Unicode text without control characters',
    });

export const optionalName = () =>
  name()
    .transform((value) => (value === '' ? undefined : value))
    .optional();

/** JSON that is the caller's own, in bounds. */
export function freeForm({ depth }: DecodeLimits) {
  function refuseDeep(json: unknown, context: z.RefinementCtx) {
    const refusal = refusalOf(json, depth);
    if (refusal !== undefined) context.addIssue({ code: 'custom', message: refusal });
  }
  return {
    /** An object, such as metadata. */
    struct: () =>
      z
        .custom<Metadata>((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
          error: 'must be an object',
          abort: true,
        })
        .superRefine(refuseDeep),
    value: () => z.custom<Json>(() => true).superRefine(refuseDeep),
  };
}

/** Without the keys whose value is undefined. */
export function compact<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> };
}

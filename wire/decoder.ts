import type { z } from 'zod';
import { A2AError, type FieldViolation } from '../core/errors.js';
import type { Operation, Requests } from './requests.js';

/** What reads each operation's request. */
export type RequestSchemas = Record<Operation, z.ZodType>;

/** Told to a caller at most; a request with a thousand bad parts needs no thousand lines. */
const MAX_VIOLATIONS = 20;

/** Reads a request by its schema. Throws INVALID_PARAMS with the fields that are wrong. */
export function decode<O extends Operation>(
  schemas: Pick<RequestSchemas, O>,
  operation: O,
  params: unknown,
): Requests[O] {
  const result = schemas[operation].safeParse(params);
  if (result.success) return result.data as Requests[O];
  const violations = result.error.issues
    .slice(0, MAX_VIOLATIONS)
    .map((issue): FieldViolation => ({ field: fieldPath(issue.path), description: issue.message }));
  const [first] = violations;
  throw new A2AError('INVALID_PARAMS', `Invalid parameters: ${first?.field} ${first?.description}`, {
    violations,
  });
}

/** The protocol's own path, such as `message.parts[0].raw`. */
function fieldPath(path: readonly PropertyKey[]): string {
  const joined = path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '');
  return joined === '' ? 'params' : joined;
}

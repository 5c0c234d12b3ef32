import { A2AError } from '../core/errors.js';

const BOOLEANS = new Set(['includeArtifacts', 'include_artifacts']);

/**
 * A query string as the JSON that a body would have been (section 11.5): booleans are the words `true`
 * and `false`; numbers stay strings, which ProtoJSON reads as numbers. Throws INVALID_PARAMS where a
 * field is given twice.
 */
export function queryToParams(query: URLSearchParams): Record<string, unknown> {
  const params = new Map<string, unknown>();
  for (const [field, text] of query) {
    if (field.toLowerCase() === 'a2a-version') continue;
    if (params.has(field)) {
      const description = 'must be given once';
      throw new A2AError('INVALID_PARAMS', `Invalid parameters: ${field.slice(0, 64)} ${description}`, {
        violations: [{ field: field.slice(0, 64), description }],
      });
    }
    params.set(field, BOOLEANS.has(field) && (text === 'true' || text === 'false') ? text === 'true' : text);
  }
  return Object.fromEntries(params);
}

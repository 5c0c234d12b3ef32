import { A2AError } from '../core/errors.js';

const BOOLEANS = new Set(['includeArtifacts', 'include_artifacts']);

/** Names of before 1.0 that a client still uses: the official Go client, over HTTP+JSON. */
const FORMER_NAMES: ReadonlyMap<string, string> = new Map([['lastUpdatedAfter', 'statusTimestampAfter']]);

/**
 * A query string as the JSON that a body would have been (section 11.5): booleans are the words `true`
 * and `false`; numbers stay strings, which ProtoJSON reads as numbers. Throws INVALID_PARAMS where a
 * field is given twice.
 */
export function queryToParams(query: URLSearchParams): Record<string, unknown> {
  const params = new Map<string, unknown>();
  for (const [name, text] of query) {
    const field = FORMER_NAMES.get(name) ?? name;
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

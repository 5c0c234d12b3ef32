import { Agent, fetch as undiciFetch } from 'undici';

/**
 * `fetch` for model endpoints that gives up on a silent one: when neither the response's head nor the next
 * bytes of its body come for `stallMillis`, the request is aborted and fails (see {@link isStall}). It watches bytes
 * and not events, so that a provider's keep-alive comments count. A redirect is an answer like any other: the key is in
 * a header that would be sent along, to wherever it leads.
 */
export function modelFetch({ stallMillis }: { stallMillis: number }): typeof fetch {
  const dispatcher = new Agent({ headersTimeout: stallMillis, bodyTimeout: stallMillis });
  // The library's own, since Node.js's knows no agent of another version. Its types differ in private members only.
  const fetchOf = undiciFetch as unknown as (input: unknown, init: object) => Promise<Response>;
  return (input, init) => fetchOf(input, { ...init, redirect: 'manual', dispatcher });
}

const STALLS = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/** Whether {@link modelFetch} gave up on a silent endpoint. */
export function isStall(error: unknown): boolean {
  return error instanceof Error && 'code' in error && STALLS.has(String(error.code));
}

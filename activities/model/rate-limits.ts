/** As the AI SDK gives them: names in lower case. */
export type Headers = Record<string, string>;

/**
 * Milliseconds until a provider may take the next request: what it says in `Retry-After`, else when the limits that
 * it says are used up begin anew. Undefined where it says nothing.
 */
export function waitMillis(headers: Headers, now: number): number | undefined {
  return retryAfterMillis(headers, now) ?? limitResetMillis(headers, now);
}

/**
 * Milliseconds to wait by `Retry-After` (seconds or an HTTP date, RFC 9110 section 10.2.3), or by the
 * finer `retry-after-ms` that some providers add. Undefined without a usable header.
 */
export function retryAfterMillis(headers: Headers, now: number): number | undefined {
  const millis = Number(headers['retry-after-ms'] || NaN);
  if (millis >= 0) return millis;
  const value = headers['retry-after'];
  if (value === undefined || value.trim() === '') return undefined;
  const seconds = Number(value);
  const wait = Number.isNaN(seconds) ? Date.parse(value) - now : seconds * 1_000;
  return Number.isFinite(wait) ? Math.max(0, Math.round(wait)) : undefined;
}

/**
 * OpenAI: `x-ratelimit-reset-tokens: 6m0s` beside `x-ratelimit-remaining-tokens`. Anthropic:
 * `anthropic-ratelimit-tokens-reset`, an RFC 3339 time, beside `anthropic-ratelimit-tokens-remaining`. Other limits are
 * named alike.
 */
const RESET = /^(?:x-ratelimit-reset-(.+)|anthropic-ratelimit-(.+)-reset)$/;

/** Of the limits with nothing left the latest, since all of them must have begun anew; else the latest of all. */
function limitResetMillis(headers: Headers, now: number): number | undefined {
  const limits = Object.entries(headers).flatMap(([header, value]) => {
    const [, openai, anthropic] = RESET.exec(header) ?? [];
    const wait = openai === undefined ? Date.parse(value) - now : spanMillis(value);
    if ((openai ?? anthropic) === undefined || wait === undefined || !Number.isFinite(wait)) return [];
    const left =
      headers[`x-ratelimit-remaining-${openai}`] ?? headers[`anthropic-ratelimit-${anthropic}-remaining`];
    return [{ wait: Math.max(0, Math.round(wait)), usedUp: Number(left ?? NaN) === 0 }];
  });
  const usedUp = limits.filter((limit) => limit.usedUp);
  const waits = (usedUp.length > 0 ? usedUp : limits).map(({ wait }) => wait);
  return waits.length === 0 ? undefined : Math.max(...waits);
}

const UNITS: Record<string, number> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/** Milliseconds of a span such as `1h2m3.5s`, `120ms` or `7` (seconds). */
function spanMillis(span: string): number | undefined {
  if (/^\d+(\.\d+)?$/.test(span)) return Number(span) * 1_000;
  if (!/^(\d+(\.\d+)?(ms|[dhms]))+$/.test(span)) return undefined;
  const parts = [...span.matchAll(/(\d+(?:\.\d+)?)(ms|[dhms])/g)];
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (UNITS[unit ?? ''] ?? NaN), 0);
}

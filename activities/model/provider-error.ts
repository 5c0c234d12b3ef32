import { APICallError } from '@ai-sdk/provider';
import type { Headers } from './rate-limits.js';

/** What a provider said went wrong, in whichever shape: an HTTP error, or an error event in its stream. */
export interface ProviderError {
  /** HTTP; undefined for an error in a stream that began well. */
  status: number | undefined;
  headers: Headers;
  /** The provider's own word for it, such as `context_length_exceeded`; free text may hold secrets. */
  code: string | undefined;
  kind: ErrorKind;
}

export type ErrorKind = 'unavailable' | 'rate limit' | 'quota' | 'credentials' | 'too long' | 'refused';

/** Words of OpenAI, Anthropic and those who speak like them, by what is to be done about it. First fit first. */
const KINDS: [ErrorKind, RegExp][] = [
  ['quota', /insufficient_quota|billing|quota_exceeded|credit/],
  ['too long', /context_length|request_too_large|string_above_max_length|too_long/],
  ['rate limit', /rate_limit|too_many_requests/],
  ['credentials', /authentication|permission|invalid_api_key|unauthorized|forbidden/],
  ['unavailable', /overload|server_error|api_error|timeout|unavailable|slow_down|bad_gateway/],
  ['refused', /invalid|not_found|bad_request|unsupported|content_filter|policy/],
];

/** Where the code says only that a request is invalid, as Anthropic's does. The text is looked at and never shown. */
const TEXTS: [ErrorKind, RegExp][] = [
  ['too long', /prompt is too long|context (length|window|limit|size)|maximum context|too many tokens/i],
  ['quota', /credit balance|insufficient (funds|balance|credits)|exceeded your current quota/i],
];

const STATUS: Record<number, ErrorKind> = {
  401: 'credentials',
  402: 'quota',
  403: 'credentials',
  408: 'unavailable',
  409: 'unavailable',
  413: 'too long',
  425: 'unavailable',
  429: 'rate limit',
};

/** Undefined for an error that is none of the provider's: a connection that broke, a fault of ours. */
export function providerError(causes: unknown[]): ProviderError | undefined {
  for (const error of causes) {
    if (APICallError.isInstance(error) && error.statusCode !== undefined && error.statusCode >= 300) {
      const said = saidIn(parse(error.responseBody));
      const status = error.statusCode;
      return { status, headers: error.responseHeaders ?? {}, code: said?.code, kind: kindOf(status, said) };
    }
    const said = error instanceof Error ? undefined : saidIn(error);
    if (said) return { status: undefined, headers: {}, code: said.code, kind: kindOf(undefined, said) };
  }
  return undefined;
}

interface Said {
  code: string | undefined;
  text: string;
}

function kindOf(status: number | undefined, said: Said | undefined): ErrorKind {
  const byText = TEXTS.find(([, text]) => text.test(said?.text ?? ''))?.[0];
  const byCode = KINDS.find(([, code]) => code.test(said?.code ?? ''))?.[0];
  // A stream that breaks off with words that we do not know may go better the next time.
  if (status === undefined) return byText ?? byCode ?? 'unavailable';
  if (status >= 500) return byCode === 'rate limit' ? byCode : 'unavailable';
  if (byText) return byText;
  return byCode === 'quota' || byCode === 'too long' ? byCode : (STATUS[status] ?? 'refused');
}

function parse(body: string | undefined): unknown {
  try {
    return JSON.parse(body ?? '');
  } catch {
    return undefined;
  }
}

/**
 * OpenAI: `{ error: { code, type, message } }`, in Responses also `{ type: 'error', code, message }` and `{ type:
 * 'response.failed', response: { error } }`. Anthropic: `{ type: 'error', error: { type, message } }`. The SDK
 * gives parts of it, too.
 */
function saidIn(value: unknown): Said | undefined {
  if (typeof value === 'string') return { code: undefined, text: value };
  if (!isRecord(value)) return undefined;
  const nested = isRecord(value['response']) ? value['response']['error'] : value['error'];
  const at = isRecord(nested) ? nested : value;
  const code = [at['code'], at['type']].find(isCode);
  const text = typeof at['message'] === 'string' ? at['message'] : '';
  return code === undefined && text === '' ? undefined : { code, text };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isCode(value: unknown): value is string {
  return typeof value === 'string' && value !== 'error' && /^[a-z][a-z0-9_.-]{0,63}$/i.test(value);
}

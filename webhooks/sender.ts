import type { LookupFunction } from 'node:net';
import { Agent, request, type Dispatcher } from 'undici';
import { RefusedAddress, type AddressGuard } from './guard.js';

export interface Outgoing {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** What became of an attempt. A reason names what happened, never what the receiver said or where it is. */
export type Sent =
  | { ok: true }
  | {
      ok: false;
      reason: string;
      /** How long the receiver asks to be left alone, in milliseconds. */
      retryAfter?: number;
      /** The receiver wants no more, ever (410). */
      gone?: boolean;
    };

export interface SenderOptions {
  guard: AddressGuard;
  /** Milliseconds until the receiver has to have answered. */
  timeout: number;
}

/** Connections to one receiver, so that a slow one cannot take all. */
const CONNECTIONS = 64;
/** A connection is kept for the next event. */
const KEEP_ALIVE = 10_000;
/** Of an answer's body, which nobody reads: enough to keep the connection. */
const BODY_LIMIT = 64 * 1024;
const BODY_WITHIN = 1_000;

/**
 * POSTs to receivers. Connects to nothing but an address that the guard has seen, follows no redirect, and
 * reads no answer beyond its status.
 */
export class Sender {
  readonly #guard: AddressGuard;
  readonly #timeout: number;
  readonly #agent: Agent;

  constructor({ guard, timeout }: SenderOptions) {
    this.#guard = guard;
    this.#timeout = timeout;
    const lookup: LookupFunction = (host, { all }, done) => {
      guard.addressesOf(host).then(
        (found) => {
          const [first] = found;
          if (all === true || first === undefined) done(null, found);
          else done(null, first.address, first.family);
        },
        (error: unknown) => done(error as NodeJS.ErrnoException, []),
      );
    };
    this.#agent = new Agent({
      connections: CONNECTIONS,
      keepAliveTimeout: KEEP_ALIVE,
      headersTimeout: timeout,
      connect: { lookup, timeout },
    });
  }

  /** Never throws, but for an aborted signal. */
  async send({ url, headers, body }: Outgoing, signal: AbortSignal): Promise<Sent> {
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(new TimedOut()), this.#timeout);
    // Not AbortSignal.any: the given signal may live as long as the process.
    const onAbort = (): void => stop.abort();
    signal.addEventListener('abort', onAbort);
    try {
      signal.throwIfAborted();
      // Names go through `lookup`; an address that stands in the URL itself does not.
      this.#guard.parse(url);
      const answer = await request(url, {
        method: 'POST',
        headers,
        body,
        dispatcher: this.#agent,
        signal: stop.signal,
      });
      const sent = judge(answer);
      await answer.body
        .dump({ limit: BODY_LIMIT, signal: AbortSignal.timeout(BODY_WITHIN) })
        .catch(() => undefined);
      return sent;
    } catch (error) {
      signal.throwIfAborted();
      return { ok: false, reason: reasonOf(error, this.#timeout) };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Cuts off what is under way. */
  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

function judge({ statusCode, headers }: Dispatcher.ResponseData): Sent {
  if (statusCode >= 200 && statusCode < 300) return { ok: true };
  const redirect = statusCode >= 300 && statusCode < 400;
  const retryAfter = retryAfterOf(headers['retry-after']);
  return {
    ok: false,
    reason: `HTTP ${statusCode}${redirect ? ': redirects are not followed' : ''}`,
    ...(retryAfter !== undefined && { retryAfter }),
    ...(statusCode === 410 && { gone: true }),
  };
}

/** Seconds, or a date (RFC 9110, section 10.2.3). */
function retryAfterOf(value: string | string[] | undefined): number | undefined {
  if (typeof value !== 'string') return undefined;
  const millis = /^\d{1,9}$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isFinite(millis) && millis > 0 ? millis : undefined;
}

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection broke',
  EPIPE: 'the connection broke',
  UND_ERR_SOCKET: 'the connection broke',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name could not be resolved',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
};
class TimedOut extends Error {}
const TIMEOUTS = /^(UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT|ETIMEDOUT)$/;

function reasonOf(error: unknown, timeout: number): string {
  for (const cause of causesOf(error)) {
    if (cause instanceof RefusedAddress) return `the URL was refused: ${cause.message}`;
    const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
    if (cause instanceof TimedOut || TIMEOUTS.test(code)) return `no answer within ${timeout / 1_000} s`;
    if (REASONS[code] !== undefined) return REASONS[code];
    if (/CERT|SSL|TLS|SELF_SIGNED|ISSUER/.test(code)) return 'there is no trusted TLS connection';
  }
  return 'the request failed';
}

/** The error, what caused it, and what an attempt at several addresses found at each. */
function* causesOf(error: unknown): Generator<Error> {
  if (!(error instanceof Error)) return;
  yield error;
  if (error instanceof AggregateError) for (const each of error.errors) yield* causesOf(each);
  yield* causesOf(error.cause);
}

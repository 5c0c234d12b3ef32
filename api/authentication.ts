import type { IncomingHttpHeaders } from 'node:http';
import { ANONYMOUS } from '../core/caller.js';

/** Finds out who calls, for every binding. */
export interface Authenticator {
  /** The owner of what is called for. Header names are in lower case. Throws UNAUTHENTICATED. */
  owner(headers: IncomingHttpHeaders): string;
}

/** A server without credentials: all callers are one. */
export const anonymous: Authenticator = { owner: () => ANONYMOUS.owner };

import type { IncomingHttpHeaders } from 'node:http';
import { ANONYMOUS, type Caller } from '../core/caller.js';
import { A2AError } from '../core/errors.js';
import type { SecurityScheme } from '../wire/security.js';

/** Who calls, once that is proven. */
export interface Identity {
  /** The subject to whom tasks, contexts and streams belong. */
  owner: string;
  /** The tenants that it may name, the empty one standing for none. Absent: any, since a tenant is only a namespace. */
  tenants?: readonly string[];
}

/** Finds out who calls, for every binding. */
export interface Authenticator {
  /** What it takes, as agent cards declare it; empty where nobody has to prove anything. */
  readonly schemes: readonly SecurityScheme[];
  /** Header names are in lower case; gRPC metadata counts as headers. Throws UNAUTHENTICATED, with a challenge. */
  authenticate(headers: IncomingHttpHeaders): Identity | Promise<Identity>;
}

/** A server without credentials: all callers are one. */
export const anonymous: Authenticator = {
  schemes: [],
  authenticate: () => ({ owner: ANONYMOUS.owner }),
};

/** The identity in the tenant that a request names. Throws PERMISSION_DENIED where it may not use it. */
export function callerOf({ owner, tenants }: Identity, tenant = ''): Caller {
  if (tenants === undefined || tenants.includes(tenant)) return { owner, tenant };
  throw new A2AError(
    'PERMISSION_DENIED',
    tenant === ''
      ? 'These credentials are for certain tenants: name one of them'
      : 'These credentials are not for this tenant',
  );
}

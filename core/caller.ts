/**
 * Who calls. Every row has a tenant and an owner, and every read, command and stream is scoped by both
 * and by the agent whose address was used.
 */
export interface Caller {
  /** From the path or the request; a namespace, never an authorisation. Empty where none was given. */
  tenant: string;
  /** The authenticated subject; `anonymous` on a server without credentials. */
  owner: string;
}

export interface Scope extends Caller {
  /** Agent code. */
  agent: string;
}

export const ANONYMOUS: Caller = { tenant: '', owner: 'anonymous' };

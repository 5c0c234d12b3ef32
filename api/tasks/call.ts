import type { AgentDefinition } from '../../core/agent.js';
import type { Caller, Scope } from '../../core/caller.js';
import type { DialectName } from '../../wire/dialects.js';

/** One request on its way through the service, whichever binding it came by. */
export interface Call {
  agent: AgentDefinition;
  caller: Caller;
  /** In which the caller is told of a task by webhook (D06). Default: 1.0. */
  dialect?: DialectName;
  /** Aborted when the client has gone. It ends waiting and streaming, and never touches the task. */
  signal: AbortSignal;
  /** The Idempotency-Key header (A20). */
  idempotencyKey?: string | undefined;
  /** The Last-Event-ID header as it came (B07). */
  lastEventId?: string | undefined;
  /** For the log: set as soon as it is known. */
  taskId?: string | undefined;
}

export function scopeOf({ agent, caller }: Call): Scope {
  return { tenant: caller.tenant, owner: caller.owner, agent: agent.code };
}

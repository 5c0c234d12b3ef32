import type { Session } from './session.js';

/**
 * What the agent's code gets back from a call. Once the task is over, or is being cancelled, a call that fails
 * never settles: the agent's code stops there. A rejection that nobody handles would instead fail the workflow's
 * task for ever, and agents do start calls that they do not await (a progress loop, a question they gave up).
 */
function agentCall(session: Session, call: Promise<unknown>): Promise<unknown> {
  const seen = call.catch((error: unknown) => {
    if (session.over) return new Promise<never>(() => undefined);
    throw error;
  });
  // One that fails while the task goes on is the agent's to handle, and where it does not the task goes on.
  seen.catch(() => undefined);
  return seen;
}

/** The same object; what its methods promise stops with the task. */
export function agentCalls<T extends object>(session: Session, target: T): T {
  return new Proxy(target, {
    get(_target, name): unknown {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        const result: unknown = Reflect.apply(value, target, args);
        return result instanceof Promise ? agentCall(session, result) : result;
      };
    },
  });
}

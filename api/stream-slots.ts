import type { Caller } from '../core/caller.js';
import { A2AError } from '../core/errors.js';

/** Bounds the streams that one caller has open in this process (C12), and ends the opening of more. */
export class StreamSlots {
  private readonly taken = new Map<string, number>();

  private closed = false;

  constructor(private readonly limit: number) {}

  /** No stream opens any more: for shutdown. */
  close(): void {
    this.closed = true;
  }

  /** Takes a slot; the returned function gives it back, once. Throws RESOURCE_EXHAUSTED or UNAVAILABLE. */
  acquire({ tenant, owner }: Caller): () => void {
    if (this.closed) throw new A2AError('UNAVAILABLE', 'The server is shutting down', { retryAfter: 1 });
    const key = JSON.stringify([tenant, owner]);
    const open = this.taken.get(key) ?? 0;
    if (open >= this.limit) {
      throw new A2AError('RESOURCE_EXHAUSTED', `At most ${this.limit} streams may be open at a time`, {
        retryAfter: 5,
      });
    }
    this.taken.set(key, open + 1);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      const left = (this.taken.get(key) ?? 1) - 1;
      if (left === 0) this.taken.delete(key);
      else this.taken.set(key, left);
    };
  }
}

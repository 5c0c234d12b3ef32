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
  acquire({ owner }: Caller): () => void {
    if (this.closed) throw new A2AError('UNAVAILABLE', 'The server is shutting down', { retryAfter: 1 });
    // A caller that names another tenant is still the same caller.
    const open = this.taken.get(owner) ?? 0;
    if (open >= this.limit) {
      throw new A2AError('RESOURCE_EXHAUSTED', `At most ${this.limit} streams may be open at a time`, {
        retryAfter: 5,
      });
    }
    this.taken.set(owner, open + 1);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      const left = (this.taken.get(owner) ?? 1) - 1;
      if (left === 0) this.taken.delete(owner);
      else this.taken.set(owner, left);
    };
  }
}

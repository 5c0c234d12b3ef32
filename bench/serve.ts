/**
 * The child's side of a bench process: it answers calls from the parent and ends with it. The parent's side
 * is {@link startChild} in children.ts.
 */
export type Handlers = Record<string, (options: never) => unknown>;

export interface CallMessage {
  id: number;
  name: string;
  options: unknown;
}
export type Reply = { ready: unknown } | { id: number; result: unknown } | { id: number; error: string };

/** Tells the parent `ready` and answers its calls until the parent goes. */
export function serve(handlers: Handlers, ready: unknown = null): void {
  const reply = (message: Reply) => process.send?.(message);
  process.on('disconnect', () => process.exit());
  process.on('message', ({ id, name, options }: CallMessage) => {
    const handler = handlers[name] ?? (() => Promise.reject(new Error(`nothing answers to ${name}`)));
    Promise.resolve()
      .then(() => handler(options as never))
      .then(
        (result) => reply({ id, result: result ?? null }),
        (error: unknown) =>
          reply({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
      );
  });
  reply({ ready });
}

/** Milliseconds on the machine's monotonic clock, which all its processes share. */
export function sharedNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

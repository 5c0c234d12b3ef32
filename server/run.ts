import type { Running } from './closing.js';

/** The parts close in about five seconds, in the worst case in fifteen. */
const CLOSE_WITHIN = 20_000;

/**
 * Starts something and runs it until SIGINT or SIGTERM, then closes it in bounded time (F09). A second signal
 * ends the process at once; so does one that comes while it still starts, since nothing is under way then.
 */
export async function runUntilSignal<T extends Running>(
  start: () => Promise<T>,
  started: (running: T) => void,
  report: (line: string) => void,
): Promise<void> {
  const state: { running?: T } = {};
  let closing = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    const { running } = state;
    if (closing || !running) process.exit(130);
    closing = true;
    // Ctrl-C is a person; SIGTERM comes from what looks after the process.
    if (signal === 'SIGINT') report('Stopping; once more to stop at once');
    setTimeout(() => process.exit(1), CLOSE_WITHIN).unref();
    running.close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal);
  state.running = await start();
  started(state.running);
}

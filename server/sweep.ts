import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Journal } from '../core/journal.js';
import type { Running } from './closing.js';

const EVERY = 60_000;

/** The journal's compaction and retention, once a minute. */
export function startSweeping(journal: Pick<Journal, 'sweep'>, log: Logger): Running {
  const closing = new AbortController();
  const { signal } = closing;

  async function sweepUntilClosed(): Promise<void> {
    while (!signal.aborted) {
      await delay(EVERY, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        const removed = await journal.sweep(new Date());
        log.debug(removed, 'swept the journal');
      } catch (error) {
        log.error({ err: error }, 'sweeping the journal failed');
      }
    }
  }

  const sweeping = sweepUntilClosed();
  return {
    async close() {
      closing.abort();
      await sweeping;
    },
  };
}

import type { Logger } from 'pino';

/** What has to be closed, in the reverse of the order in which it was opened. */
export class Closing {
  readonly #steps: { name: string; close: () => void | Promise<void> }[] = [];

  add(name: string, close: () => void | Promise<void>): void {
    this.#steps.push({ name, close });
  }

  /** Closes everything, also past a step that fails. Once. */
  async close(log: Logger): Promise<void> {
    for (const { name, close } of this.#steps.splice(0).reverse()) {
      const began = Date.now();
      try {
        await close();
        log.info({ part: name, millis: Date.now() - began }, 'closed');
      } catch (error) {
        log.error({ part: name, err: error }, 'closing failed');
      }
    }
  }
}

/** A part of the server, or all of it, that runs until it is closed. */
export interface Running {
  close(): Promise<void>;
}

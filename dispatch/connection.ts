import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import type { Logger } from 'pino';

const RETRY_AFTER = 1_000;
const PROBE_WITHIN = 2_000;

export interface TemporalSettings {
  /** `host:port`. */
  address: string;
  namespace: string;
}

/**
 * The process's one connection to Temporal. Worker and client share it, which is what lets a started
 * workflow run on this process's worker without a round trip (eager start). It is made in the background
 * and again until it stands, so that a server starts, reads and accepts while Temporal is down (F05);
 * once made it reconnects by itself.
 */
export class TemporalConnection {
  #open: { native: NativeConnection; client: Client } | undefined;
  readonly #connecting: Promise<void>;
  readonly #closing = new AbortController();
  readonly #closed = new Promise<void>((resolve) => {
    this.#closing.signal.addEventListener('abort', () => resolve());
  });

  constructor(
    private readonly settings: TemporalSettings,
    private readonly log: Logger,
  ) {
    this.#connecting = this.#connect();
  }

  get namespace(): string {
    return this.settings.namespace;
  }

  /** Undefined until the connection stands. */
  get client(): Client | undefined {
    return this.#open?.client;
  }

  /** Resolves when the connection stands; rejects when it is closed before. */
  async connected(): Promise<{ native: NativeConnection; client: Client }> {
    await Promise.race([this.#connecting, this.#closed]);
    if (!this.#open) throw new Error('The connection to Temporal was closed');
    return this.#open;
  }

  /** Whether Temporal answers now, asked within two seconds. Never throws. */
  async answers(): Promise<boolean> {
    const client = this.client;
    if (!client) return false;
    try {
      await client.withDeadline(Date.now() + PROBE_WITHIN, () =>
        client.workflowService.describeNamespace({ namespace: this.namespace }),
      );
      return true;
    } catch {
      return false;
    }
  }

  /** After every worker and dispatcher on it has ended. */
  async close(): Promise<void> {
    this.#closing.abort();
    const open = this.#open;
    this.#open = undefined;
    await open?.native.close();
  }

  async #connect(): Promise<void> {
    const { address, namespace } = this.settings;
    for (let told = false; !this.#closing.signal.aborted; told = true) {
      try {
        const native = await NativeConnection.connect({ address });
        // An address that neither answers nor refuses may have kept us here past `close`.
        if (this.#closing.signal.aborted) {
          await native.close();
          return;
        }
        this.#open = { native, client: new Client({ connection: native, namespace }) };
        if (told) this.log.info({ address }, 'connected to Temporal');
        return;
      } catch (error) {
        if (!told) this.log.warn({ address, err: error }, 'Temporal cannot be reached; trying again');
        await delay(RETRY_AFTER, undefined, { signal: this.#closing.signal }).catch(() => undefined);
      }
    }
  }
}

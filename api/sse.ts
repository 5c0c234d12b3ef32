import type { ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { StreamResponse } from '../core/task.js';
import type { EventStream } from './tasks/task-stream.js';

export interface SseSettings {
  keepAliveMs: number;
  reconnectMs: number;
  stalledReaderMs: number;
}

/**
 * How a binding writes the data of a frame: JSON on one line, without CR or LF. Undefined where its dialect has
 * no word for the event. `passed`: see `StreamedEvent`.
 */
export type FrameData = (event: StreamResponse, passed?: boolean) => string | undefined;

/** Joined frames are written at about this many characters, so that one write stays small. */
const WRITE_CHARS = 64 * 1024;

/**
 * All event streams of this process. One timer keeps them alive; each holds a cursor into its task's log
 * and nothing else while it waits or its reader is slow.
 */
export class SseStreams {
  private readonly open = new Set<SseConnection>();
  private ticker: NodeJS.Timeout | undefined;

  constructor(
    private readonly settings: SseSettings,
    private readonly logger: Logger,
  ) {}

  get size(): number {
    return this.open.size;
  }

  /** Writes the stream to its end. Resolves when there is no more to write, for whatever reason. */
  async serve(response: ServerResponse, stream: EventStream, data: FrameData): Promise<void> {
    const connection = new SseConnection(response, stream, this.settings);
    this.open.add(connection);
    // Often enough that no silence gets longer than keepAliveMs.
    this.ticker ??= setInterval(() => this.tick(), this.settings.keepAliveMs / 3);
    try {
      await connection.run(data);
    } catch (error) {
      // A broken stream must look broken: the client resumes it, where a clean end would say "done".
      this.logger.error({ taskId: stream.taskId, err: error }, 'stream failed');
      response.destroy();
    } finally {
      stream.close();
      this.open.delete(connection);
      if (this.open.size === 0) {
        clearInterval(this.ticker);
        this.ticker = undefined;
      }
    }
  }

  /** Ends all streams, telling clients when to come back (F09). */
  close(): void {
    for (const connection of [...this.open]) connection.sendAway();
  }

  private tick(): void {
    const now = performance.now();
    for (const connection of this.open) connection.tick(now);
  }
}

class SseConnection {
  private lastWrite = performance.now();
  /** Since when the reader takes nothing; undefined while it does. */
  private blockedSince: number | undefined;
  private gone = false;

  constructor(
    private readonly response: ServerResponse,
    private readonly stream: EventStream,
    private readonly settings: SseSettings,
  ) {}

  async run(data: FrameData): Promise<void> {
    const { response, stream } = this;
    const onClose = () => {
      this.gone = true;
      stream.close();
    };
    response.on('close', onClose);
    // The client may have gone while the first event was sought.
    if (response.destroyed || response.closed) onClose();
    else this.sendHead();

    // `retry:` belongs to the first block: a block of its own would be an event without data (C13).
    let lead = `retry: ${this.settings.reconnectMs}\n`;
    for (let events = await stream.next(); events !== undefined; events = await stream.next()) {
      let chunk = '';
      for (const { seq, event, passed } of events) {
        const json = data(event, passed);
        if (json === undefined) continue;
        chunk += `${lead}id: ${seq}\ndata: ${json}\n\n`;
        lead = '';
        if (chunk.length < WRITE_CHARS) continue;
        await this.write(chunk);
        chunk = '';
      }
      if (chunk !== '') await this.write(chunk);
    }
    if (!this.gone) response.end();
  }

  tick(now: number): void {
    if (this.gone) return;
    if (this.blockedSince !== undefined) {
      if (now - this.blockedSince > this.settings.stalledReaderMs) this.response.destroy();
    } else if (now - this.lastWrite >= (this.settings.keepAliveMs * 2) / 3 - 1) {
      this.lastWrite = now;
      // One newline and no blank line: a block without data breaks some clients (C13).
      this.response.write(': ping\n');
    }
  }

  sendAway(): void {
    if (!this.gone) {
      // Spread over a second, so that a restart is not met by everybody at once.
      const retry = this.settings.reconnectMs + Math.floor(Math.random() * 1_000);
      this.response.write(`retry: ${retry}\n`);
    }
    this.stream.close();
  }

  private sendHead(): void {
    this.response.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-cache, no-transform',
      'X-Accel-Buffering': 'no',
    });
    this.response.flushHeaders();
  }

  /** Resolves when the reader is ready for more, or gone. */
  private async write(chunk: string): Promise<void> {
    if (this.gone) return;
    this.lastWrite = performance.now();
    if (this.response.write(chunk)) return;
    this.blockedSince = this.lastWrite;
    await new Promise<void>((resolve) => {
      const ready = () => {
        this.response.off('drain', ready).off('close', ready);
        resolve();
      };
      this.response.on('drain', ready).on('close', ready);
    });
    this.blockedSince = undefined;
  }
}

/** Encodes each event once however many read it; an event is shared by all readers of its task. */
export function encodeOnce(encode: FrameData): FrameData {
  const encoded = new WeakMap<StreamResponse, { json: string | undefined }>();
  return (event, passed) => {
    if (passed === true) return encode(event, passed);
    let known = encoded.get(event);
    if (known === undefined) {
      known = { json: encode(event) };
      encoded.set(event, known);
    }
    return known.json;
  };
}

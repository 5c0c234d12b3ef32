import { Metadata, type ServerWritableStream } from '@grpc/grpc-js';
import type { Logger } from 'pino';
import { A2AError } from '../../core/errors.js';
import type { SseSettings } from '../sse.js';
import type { EventStream, StreamedEvent } from '../tasks/task-stream.js';

type Writable = ServerWritableStream<Buffer, Buffer>;

/** The message of an event; undefined where the dialect has no word for it. */
export type FrameBytes = (event: StreamedEvent) => Buffer | undefined;

/** How a stream ended. */
export interface StreamEnd {
  /** Why it ended before it was complete: the client may resume it. */
  broken?: A2AError;
  /** `last-event-id`: the sequence of the last event sent, if there was one. */
  trailers: Metadata;
}

/** This much may wait for a slow reader, and one message more. */
const WINDOW_BYTES = 64 * 1024;

/**
 * All gRPC event streams of this process. Each holds a cursor into its task's log, and a bounded number of
 * bytes while its reader is slow. HTTP/2 pings keep them alive, so there is nothing to send to idle ones.
 */
export class GrpcStreams {
  private readonly open = new Set<GrpcStream>();
  private ticker: NodeJS.Timeout | undefined;

  constructor(
    private readonly settings: Pick<SseSettings, 'reconnectMs' | 'stalledReaderMs'>,
    private readonly logger: Logger,
  ) {}

  get size(): number {
    return this.open.size;
  }

  /** Writes the stream's events, not its end. Resolves when there is no more to write, for whatever reason. */
  async serve(call: Writable, stream: EventStream, bytes: FrameBytes): Promise<StreamEnd> {
    const one = new GrpcStream(call, stream);
    this.open.add(one);
    this.ticker ??= setInterval(() => this.tick(), this.settings.stalledReaderMs / 4);
    try {
      await one.run(bytes);
    } catch (error) {
      // A broken stream must look broken: the client resumes it, where a clean end would say "done".
      this.logger.error({ taskId: stream.taskId, err: error }, 'stream failed');
      one.breakOff(new A2AError('INTERNAL', 'The stream broke; it can be resumed'));
    } finally {
      stream.close();
      this.open.delete(one);
      if (this.open.size === 0) {
        clearInterval(this.ticker);
        this.ticker = undefined;
      }
    }
    return one.end();
  }

  /** Ends all streams, telling clients when to come back (F09). */
  close(): void {
    for (const one of [...this.open]) {
      // Spread over a second, so that a restart is not met by everybody at once.
      const retryAfter = (this.settings.reconnectMs + Math.floor(Math.random() * 1_000)) / 1_000;
      one.breakOff(new A2AError('UNAVAILABLE', 'The server is shutting down', { retryAfter }));
    }
  }

  private tick(): void {
    const stalledSince = performance.now() - this.settings.stalledReaderMs;
    for (const one of this.open) {
      if (one.blockedSince === undefined || one.blockedSince > stalledSince) continue;
      one.breakOff(new A2AError('UNAVAILABLE', 'The reader took nothing for too long', { retryAfter: 1 }));
    }
  }
}

class GrpcStream {
  /** Since when the reader takes nothing; undefined while it does. */
  blockedSince: number | undefined;
  private pending = 0;
  private lastSeq: number | undefined;
  private broken: A2AError | undefined;
  private over = false;
  private wake: () => void = () => undefined;

  constructor(
    private readonly call: Writable,
    private readonly stream: EventStream,
  ) {}

  async run(bytes: FrameBytes): Promise<void> {
    const { call, stream } = this;
    call.on('cancelled', () => this.stop());
    // The client may have gone while the first event was sought.
    if (call.cancelled) this.stop();
    for (let events = await stream.next(); events !== undefined; events = await stream.next()) {
      for (const event of events) {
        const frame = bytes(event);
        if (frame === undefined) continue;
        if (this.over) return;
        await this.write(frame);
        this.lastSeq = event.seq;
      }
    }
  }

  /** Ends it early; the first reason counts. */
  breakOff(reason: A2AError): void {
    this.broken ??= reason;
    this.stop();
  }

  end(): StreamEnd {
    const trailers = new Metadata();
    if (this.lastSeq !== undefined) trailers.set('last-event-id', String(this.lastSeq));
    return { trailers, ...(this.broken !== undefined && { broken: this.broken }) };
  }

  private stop(): void {
    this.over = true;
    this.stream.close();
    this.wake();
  }

  /** Resolves when the reader is ready for more, or the stream is over. */
  private async write(frame: Buffer): Promise<void> {
    this.pending += frame.length;
    this.call.write(frame, () => {
      this.pending -= frame.length;
      // Whatever was taken is a sign of life.
      if (this.blockedSince !== undefined) this.blockedSince = performance.now();
      if (this.pending <= WINDOW_BYTES) this.wake();
    });
    if (this.pending <= WINDOW_BYTES || this.over) return;
    this.blockedSince = performance.now();
    await new Promise<void>((resolve) => (this.wake = resolve));
    this.blockedSince = undefined;
  }
}

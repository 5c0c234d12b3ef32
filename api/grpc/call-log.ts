import type { Logger } from 'pino';
import { newFacts, type RequestFacts } from '../request-log.js';
import type { GrpcCall } from './arrival.js';

/** The log line of a gRPC call: the same words as those of an HTTP request (A19, F08). */
export class CallLog {
  readonly facts: RequestFacts;
  private readonly started = performance.now();
  private readonly path: string;

  constructor(
    call: GrpcCall,
    private readonly logger: Logger,
  ) {
    this.path = call.getPath();
    this.facts = newFacts(call.metadata.get('x-request-id')[0]);
  }

  /** `gone`: the client was told nothing. Of `failed` the gRPC status is logged, too. */
  end(gone: boolean, failed?: { error: string; status: number }): void {
    if (!gone && failed !== undefined) this.facts.error = failed.error;
    this.logger.info(
      {
        ...this.facts,
        method: 'gRPC',
        path: this.path,
        status: failed?.status ?? 0,
        outcome: gone ? 'client_gone' : failed === undefined ? 'ok' : 'error',
        ms: Math.round(performance.now() - this.started),
      },
      'request',
    );
  }
}

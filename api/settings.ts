import type { ErrorTableVersion } from '../wire/errors.js';

/** What an operator can set about the API. `server/` reads it from the environment. */
export interface ApiSettings {
  /** Where clients reach this server, without a final slash: the base of every URL in a card (C06). */
  publicUrl: string;
  /** `host:port` at which clients reach the gRPC server, as cards show it; undefined leaves gRPC out of them. */
  grpcAddress: string | undefined;
  /** Which revision's error statuses to answer with (C09). */
  errorTable: ErrorTableVersion;
  /** An absent A2A-Version means 0.3, as section 3.6.2 says, instead of whatever the method speaks (C07). */
  strictVersion: boolean;
  /** Bytes of a request body. */
  maxBodyBytes: number;
  /** Parts in a message. */
  maxParts: number;
  /** Nesting of metadata and data. */
  maxDepth: number;
  /** Dialects before 1.0 stream artifacts in fragments, as 1.0 does, instead of each one whole (B12). */
  legacyFragments: boolean;
  /** Streams that one caller may have open in this process. */
  maxStreamsPerCaller: number;
  /** A stream that has been silent this long gets a comment line (B02). */
  keepAliveMs: number;
  /** How soon a client should reconnect, told as `retry:` once in every stream. */
  reconnectMs: number;
  /** A reader that takes nothing for this long is cut off; it can resume. */
  stalledReaderMs: number;
  /** When no worker takes a task within this time, a blocking send answers with it as it is (F05). */
  workerWaitMs: number;
  /** How long CancelTask waits for the workflow before it closes the task itself (A16). */
  cancelWaitMs: number;
  /** How long an agent that answers `either` way holds the first answer (A03). */
  directHoldMs: number;
  /** A blocking send answers with the task as it is after this long, settled or not. */
  blockingLimitMs: number;
  /** `max-age` of agent cards. */
  cardMaxAgeSeconds: number;
  /** The shape of a card for readers that name no version (C06). */
  cardVersion: '1.0' | '0.3';
  /**
   * Extended cards are shown where nobody proves who they are. Against section 13.3: for test agents on loopback, and
   * not a setting of the server.
   */
  anonymousExtendedCard: boolean;
}

export const DEFAULT_API_SETTINGS: ApiSettings = {
  publicUrl: 'http://127.0.0.1:4000',
  grpcAddress: undefined,
  errorTable: '1.0.0',
  strictVersion: false,
  maxBodyBytes: 10 * 1024 * 1024,
  maxParts: 1_000,
  maxDepth: 100,
  legacyFragments: false,
  maxStreamsPerCaller: 5_000,
  keepAliveMs: 15_000,
  reconnectMs: 1_000,
  stalledReaderMs: 120_000,
  workerWaitMs: 5_000,
  cancelWaitMs: 5_000,
  directHoldMs: 1_000,
  blockingLimitMs: 600_000,
  cardMaxAgeSeconds: 300,
  cardVersion: '1.0',
  anonymousExtendedCard: false,
};

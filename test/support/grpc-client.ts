import { Client, credentials, Metadata, type ClientReadableStream, type ServiceError } from '@grpc/grpc-js';
import type { Json } from '../../core/task.js';
import { field, map, message, repeated, type MessageKind } from '../../wire/protobuf/message.js';
import { readMessage } from '../../wire/protobuf/read.js';
import type { GrpcMethod, GrpcService } from '../../wire/protobuf/service.js';
import { writeMessage } from '../../wire/protobuf/write.js';
import { V1_SERVICE } from '../../wire/v1/proto.js';

export type GrpcDetail = { '@type': string } & { [key: string]: Json };

/** A call that did not succeed. */
export interface GrpcFailure {
  /** google.rpc.Code. */
  code: number;
  message: string;
  details: GrpcDetail[];
}

export interface GrpcAnswer {
  result?: Record<string, unknown>;
  error?: GrpcFailure;
  /** Initial and trailing metadata. */
  metadata: Record<string, string>;
}

const STATUS = message({
  code: field(1, 'int32'),
  message: field(2, 'string'),
  details: repeated(3, message({ typeUrl: field(1, 'string'), value: field(2, 'bytes') })),
});

const DETAILS: Record<string, MessageKind> = {
  ErrorInfo: message({ reason: field(1, 'string'), domain: field(2, 'string'), metadata: map(3, 'string') }),
  BadRequest: message({
    fieldViolations: repeated(1, message({ field: field(1, 'string'), description: field(2, 'string') })),
  }),
  RetryInfo: message({
    retryDelay: field(1, message({ seconds: field(1, 'int32'), nanos: field(2, 'int32') })),
  }),
};

const same = (bytes: Buffer): Buffer => bytes;

/** A small gRPC client for tests that look at the wire itself: ProtoJSON in and out. */
export class GrpcClient {
  private readonly client: Client;

  constructor(
    address: string,
    private readonly service: GrpcService = V1_SERVICE,
  ) {
    this.client = new Client(address, credentials.createInsecure(), {
      'grpc.max_receive_message_length': -1,
      // A channel of its own, so that a restarted server is found at once.
      'grpc.use_local_subchannel_pool': 1,
    });
  }

  close(): void {
    this.client.close();
  }

  async call(
    operation: string,
    params: object,
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ): Promise<GrpcAnswer> {
    const { request, response } = this.method(operation);
    const { bytes, ...answer } = await this.raw(operation, writeMessage(request, params), headers, signal);
    return { ...answer, ...(bytes && { result: readMessage(response, bytes) }) };
  }

  /** The request as bytes that no codec made. Rejects where the signal aborts it. */
  raw(
    operation: string,
    bytes: Buffer,
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ): Promise<{ bytes?: Buffer; error?: GrpcFailure; metadata: Record<string, string> }> {
    const metadata: Record<string, string> = {};
    return new Promise((resolve, reject) => {
      const call = this.client.makeUnaryRequest(
        this.path(operation),
        same,
        same,
        bytes,
        metadataOf(headers),
        (error, answer) => {
          // The status event brings the trailers, after this.
          setImmediate(() =>
            resolve({ metadata, ...(error ? { error: failureOf(error) } : { bytes: answer! }) }),
          );
        },
      );
      signal?.addEventListener('abort', () => {
        call.cancel();
        reject(signal.reason as Error);
      });
      call.on('metadata', (head) => Object.assign(metadata, textsOf(head)));
      call.on('status', ({ metadata: trailers }) => Object.assign(metadata, textsOf(trailers)));
    });
  }

  /** The call itself; messages come as bytes. */
  open(
    operation: string,
    params: object,
    headers: Record<string, string> = {},
  ): ClientReadableStream<Buffer> {
    const { request } = this.method(operation);
    return this.client.makeServerStreamRequest(
      this.path(operation),
      same,
      same,
      writeMessage(request, params),
      metadataOf(headers),
    );
  }

  /** Messages as they come, until the server ends the stream or the signal aborts it. Throws a {@link GrpcError}. */
  async *stream(
    operation: string,
    params: object,
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ): AsyncGenerator<Record<string, unknown>> {
    const { response } = this.method(operation);
    const call = this.open(operation, params, headers);
    const cancel = () => call.cancel();
    signal?.addEventListener('abort', cancel);
    try {
      for await (const bytes of call) yield readMessage(response, bytes as Buffer);
    } catch (error) {
      throw new GrpcError(failureOf(error as ServiceError));
    } finally {
      signal?.removeEventListener('abort', cancel);
      call.cancel();
    }
  }

  private method(operation: string): GrpcMethod {
    const found = this.service.methods.find((method) => method.operation === operation);
    if (found === undefined) throw new Error(`${this.service.name} has no ${operation}`);
    return found;
  }

  private path(operation: string): string {
    return `/${this.service.name}/${this.method(operation).name}`;
  }
}

export class GrpcError extends Error {
  constructor(readonly failure: GrpcFailure) {
    super(`${failure.code} ${failure.message}`);
    this.name = 'GrpcError';
  }
}

function metadataOf(headers: Record<string, string>): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  return metadata;
}

function textsOf(metadata: Metadata): Record<string, string> {
  const texts = Object.entries(metadata.getMap()).filter(([name]) => !name.endsWith('-bin'));
  return Object.fromEntries(texts.map(([name, value]) => [name, String(value)]));
}

function failureOf({ code, details, metadata }: ServiceError): GrpcFailure {
  const [bytes] = metadata.get('grpc-status-details-bin');
  const status = bytes === undefined ? {} : readMessage(STATUS, bytes as Buffer);
  const packed = (status.details ?? []) as { typeUrl: string; value: string }[];
  return {
    code,
    message: details,
    details: packed.map(({ typeUrl, value }) => {
      const kind = DETAILS[typeUrl.split('.').at(-1)!]!;
      return { '@type': typeUrl, ...readMessage(kind, Buffer.from(value, 'base64')) };
    }),
  };
}

import type { A2AError } from '../core/errors.js';
import {
  errorDetails,
  ERROR_TABLES,
  GRPC_STATUS,
  type GrpcStatus,
  type ErrorDetail,
  type ErrorTableVersion,
} from './errors.js';
import { field, map, message, repeated, type MessageKind } from './protobuf/message.js';
import { writeMessage } from './protobuf/write.js';

/** The gRPC binding's errors (specification section 10.6): the details of the other bindings, as protobuf. */

const ANY = message({ typeUrl: field(1, 'string'), value: field(2, 'bytes') });
const STATUS = message({ code: field(1, 'int32'), message: field(2, 'string'), details: repeated(3, ANY) });

const DETAILS: Readonly<Record<string, MessageKind>> = {
  'type.googleapis.com/google.rpc.ErrorInfo': message({
    reason: field(1, 'string'),
    domain: field(2, 'string'),
    metadata: map(3, 'string'),
  }),
  'type.googleapis.com/google.rpc.BadRequest': message({
    fieldViolations: repeated(1, message({ field: field(1, 'string'), description: field(2, 'string') })),
  }),
  'type.googleapis.com/google.rpc.RetryInfo': message({
    retryDelay: field(1, message({ seconds: field(1, 'int32'), nanos: field(2, 'int32') })),
  }),
};

/** Peers take 8 KiB of trailers by default, and the details are in base64 there. */
const MAX_DETAILS = 4_096;
/** Of a text that the caller gave, such as the id of a task, this much is said back. */
const MAX_TEXT = 256;

export interface StatusOfError {
  status: GrpcStatus;
  message: string;
  /** For `grpc-status-details-bin`: a google.rpc.Status. Absent where there is nothing more to say. */
  details?: Buffer;
}

export function grpcStatus(error: A2AError, version: ErrorTableVersion, told = error.message): StatusOfError {
  const { status } = ERROR_TABLES[version][error.code];
  const code = GRPC_STATUS[status];
  const text = told.slice(0, 1_024);
  const details: { typeUrl: string; value: string }[] = [];
  for (const detail of errorDetails(error)) {
    const any = packed(shortened(detail));
    const bytes = [...details, any].reduce(
      (sum, { typeUrl, value }) => sum + typeUrl.length + value.length,
      0,
    );
    // The later ones say less.
    if (bytes > MAX_DETAILS) break;
    details.push(any);
  }
  if (details.length === 0) return { status, message: text };
  return { status, message: text, details: writeMessage(STATUS, { code, message: text, details }) };
}

function packed({ '@type': typeUrl, ...fields }: ErrorDetail): { typeUrl: string; value: string } {
  const kind = DETAILS[typeUrl];
  if (kind === undefined) throw new Error(`no protobuf message for ${typeUrl}`);
  return { typeUrl, value: writeMessage(kind, fields).toString('base64') };
}

function shortened(detail: ErrorDetail): ErrorDetail {
  const { metadata, retryDelay, ...rest } = detail as ErrorDetail & {
    metadata?: Record<string, string>;
    retryDelay?: string;
  };
  const seconds = Number(retryDelay?.replace(/s$/, ''));
  return {
    ...rest,
    ...(metadata !== undefined && {
      metadata: Object.fromEntries(
        Object.entries(metadata).map(([name, text]) => [name, text.slice(0, MAX_TEXT)]),
      ),
    }),
    ...(retryDelay !== undefined && {
      retryDelay: { seconds: Math.floor(seconds), nanos: Math.round((seconds % 1) * 1e9) },
    }),
  };
}

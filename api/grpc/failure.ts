import { Metadata, status, type StatusObject } from '@grpc/grpc-js';
import type { A2AError } from '../../core/errors.js';
import { DIALECTS } from '../../wire/dialects.js';
import type { ErrorTableVersion } from '../../wire/errors.js';
import { grpcStatus } from '../../wire/grpc-status.js';
import type { GrpcService } from '../../wire/protobuf/service.js';
import type { BindingDeps } from '../binding.js';
import type { RequestFacts } from '../request-log.js';

/** How a service says errors. */
export interface ErrorWords {
  table: ErrorTableVersion;
  text: (error: A2AError) => string;
}

/** An error as gRPC says it: the status, and in its trailers the details (section 10.6). */
export function failure(
  error: A2AError,
  words: ErrorWords,
  { requestId }: RequestFacts,
  trailers = new Metadata(),
): StatusObject {
  const { status: name, message, details } = grpcStatus(error, words.table, words.text(error));
  trailers.set('x-request-id', requestId);
  if (error.challenge !== undefined) trailers.set('www-authenticate', error.challenge);
  if (details !== undefined) trailers.set('grpc-status-details-bin', details);
  return { code: status[name], details: message, metadata: trailers };
}

/** Those of the service's dialect. */
export function errorWordsOf({ settings }: BindingDeps, { dialect }: GrpcService): ErrorWords {
  const { errorTable, grpcErrorText } = DIALECTS[dialect];
  return {
    table: errorTable ?? settings.errorTable,
    text: grpcErrorText ?? ((error) => error.message),
  };
}

import { Metadata, status, type StatusObject } from '@grpc/grpc-js';
import type { A2AError } from '../../core/errors.js';
import { DIALECTS } from '../../wire/dialects.js';
import type { ErrorTableVersion } from '../../wire/errors.js';
import { grpcStatus } from '../../wire/grpc-status.js';
import type { GrpcService } from '../../wire/protobuf/service.js';
import type { BindingDeps } from '../binding.js';
import type { RequestFacts } from '../request-log.js';

/** An error as gRPC says it: the status, and in its trailers the details (section 10.6). */
export function failure(
  error: A2AError,
  version: ErrorTableVersion,
  { requestId }: RequestFacts,
  trailers = new Metadata(),
): StatusObject {
  const { status: name, message, details } = grpcStatus(error, version);
  trailers.set('x-request-id', requestId);
  if (error.challenge !== undefined) trailers.set('www-authenticate', error.challenge);
  if (details !== undefined) trailers.set('grpc-status-details-bin', details);
  return { code: status[name], details: message, metadata: trailers };
}

/** The statuses of the service's dialect. */
export function errorTableOf({ settings }: BindingDeps, { dialect }: GrpcService): ErrorTableVersion {
  return DIALECTS[dialect].errorTable ?? settings.errorTable;
}

import type { handleUnaryCall, Server } from '@grpc/grpc-js';
import { enumeration, field, message } from '../../wire/protobuf/message.js';
import { writeMessage } from '../../wire/protobuf/write.js';
import type { Readiness } from '../health.js';
import { bytesMethod } from './bytes-method.js';

const RESPONSE = message({ status: field(1, enumeration('UNKNOWN', 'SERVING', 'NOT_SERVING')) });

/**
 * `grpc.health.v1.Health/Check`, for probes that speak gRPC: the same as `/readyz` (F08). The service that is
 * asked for is not looked at, there being one readiness; Watch is not offered.
 */
export function addHealth(server: Server, readiness: Readiness): void {
  const check: handleUnaryCall<Buffer, Buffer> = (_, callback) =>
    void readiness().then(({ ready }) =>
      callback(null, writeMessage(RESPONSE, { status: ready ? 'SERVING' : 'NOT_SERVING' })),
    );
  server.addService({ Check: bytesMethod('grpc.health.v1.Health', 'Check', false) }, { Check: check });
}

import type { MethodDefinition } from '@grpc/grpc-js';

const same = (bytes: Buffer): Buffer => bytes;

/** A method whose messages stay bytes, so that a malformed one is answered by an error of our own. */
export function bytesMethod(
  service: string,
  method: string,
  responseStream: boolean,
): MethodDefinition<Buffer, Buffer> {
  return {
    path: `/${service}/${method}`,
    requestStream: false,
    responseStream,
    requestSerialize: same,
    requestDeserialize: same,
    responseSerialize: same,
    responseDeserialize: same,
  };
}

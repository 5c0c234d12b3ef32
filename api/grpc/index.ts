import type { MethodDefinition, Server, UntypedServiceImplementation } from '@grpc/grpc-js';
import type { GrpcService } from '../../wire/protobuf/service.js';
import { V03_SERVICE } from '../../wire/v03/proto.js';
import { V1_SERVICE } from '../../wire/v1/proto.js';
import type { BindingDeps } from '../binding.js';
import type { Readiness } from '../health.js';
import { bytesMethod } from './bytes-method.js';
import { addHealth } from './health.js';
import { createStreamingHandler } from './streaming.js';
import { GrpcStreams } from './streams.js';
import { createUnaryHandler } from './unary.js';

export { createGrpcServer } from './server.js';

/** The dialects that have a gRPC binding (section 10), all on one port. */
const SERVICES: readonly GrpcService[] = [V1_SERVICE, V03_SERVICE];

export interface GrpcApi {
  /** Event streams that are open now. */
  readonly openStreams: number;
  /** Ends all streams, telling clients when to come back. The server is the caller's to close, afterwards. */
  close(): void;
}

/** Adds the services to a server, which may listen already. */
export function serveGrpc(server: Server, deps: BindingDeps, readiness: Readiness): GrpcApi {
  const streams = new GrpcStreams(deps.settings, deps.logger);
  for (const service of SERVICES) {
    const definition: Record<string, MethodDefinition<Buffer, Buffer>> = {};
    const implementation: UntypedServiceImplementation = {};
    for (const method of service.methods) {
      const { name, streams: streaming = false } = method;
      definition[name] = bytesMethod(service.name, name, streaming);
      implementation[name] = streaming
        ? createStreamingHandler(deps, service, method, streams)
        : createUnaryHandler(deps, service, method);
    }
    server.addService(definition, implementation);
  }
  addHealth(server, readiness);
  return {
    get openStreams() {
      return streams.size;
    },
    close: () => streams.close(),
  };
}

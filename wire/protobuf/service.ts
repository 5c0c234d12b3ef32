import type { DialectName } from '../dialects.js';
import type { Operation } from '../requests.js';
import type { MessageKind } from './message.js';

/** One dialect over gRPC, as data. */
export interface GrpcService {
  dialect: DialectName;
  /** With its package: what stands in front of the method in a call's path. */
  name: string;
  methods: readonly GrpcMethod[];
}

export interface GrpcMethod {
  name: string;
  operation: Operation;
  request: MessageKind;
  response: MessageKind;
  /** The server answers with a stream of `response`. */
  streams?: true;
  /** The fields that the codec reads, where the request calls them otherwise. */
  params?: (fields: Record<string, unknown>) => object;
  /** The answer as the message has it, where the codec writes it otherwise. */
  answer?: (json: object) => object;
}

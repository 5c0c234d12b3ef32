import { Server } from '@grpc/grpc-js';
import type { ApiSettings } from '../settings.js';

/** A peer that does not answer a ping for this long is gone. */
const PING_TIMEOUT_MS = 20_000;

/** A gRPC server without services, to be bound before the addresses in the cards are known. */
export function createGrpcServer({ maxBodyBytes, keepAliveMs }: ApiSettings): Server {
  return new Server({
    // Larger messages are refused by gRPC itself, unread: RESOURCE_EXHAUSTED.
    'grpc.max_receive_message_length': maxBodyBytes,
    'grpc.max_send_message_length': -1,
    // HTTP/2 pings keep idle streams alive, and find peers that are gone (B02, B10).
    'grpc.keepalive_time_ms': keepAliveMs,
    'grpc.keepalive_timeout_ms': PING_TIMEOUT_MS,
  });
}

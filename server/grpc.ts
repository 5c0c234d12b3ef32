import { setTimeout as delay } from 'node:timers/promises';
import { ServerCredentials } from '@grpc/grpc-js';
import { createGrpcServer, DEFAULT_API_SETTINGS } from '../api/index.js';
import { PortInUse } from './ports.js';
import { localAddress, type Settings } from './settings.js';

type GrpcServer = ReturnType<typeof createGrpcServer>;

export interface ListeningGrpc {
  /** Without services yet. */
  server: GrpcServer;
  /** `host:port` on this machine. */
  address: string;
  /** As cards show it; undefined where they do not. */
  cardAddress: string | undefined;
  /** Takes no more calls and lets those under way end, within this many milliseconds. */
  close(within: number): Promise<void>;
}

/** Listens for gRPC, without encryption as HTTP does. Throws {@link PortInUse}. */
export async function listenForGrpc(settings: Settings): Promise<ListeningGrpc | undefined> {
  const { port, publicAddress, inCard } = settings.grpc;
  if (port === undefined) return undefined;
  const server = createGrpcServer({ ...DEFAULT_API_SETTINGS, ...settings.api });
  const bound = await bind(server, settings.http.host, port);
  const address = localAddress(settings.http.host, bound);
  return {
    server,
    address,
    cardAddress: inCard ? (publicAddress ?? publicHost(settings, bound) ?? address) : undefined,
    async close(within) {
      const closed = new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
      const late = await Promise.race([closed, delay(within, 'late', { ref: false })]);
      if (late === 'late') server.forceShutdown();
    },
  };
}

function bind(server: GrpcServer, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const name = host.includes(':') ? `[${host}]` : host;
    server.bindAsync(`${name}:${port}`, ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound);
      else if (!error.message.includes('EADDRINUSE')) reject(error);
      else reject(new PortInUse(port, 'GRPC_PORT', 'Set GRPC_PORT to another one, or to off.'));
    });
  });
}

function publicHost({ publicUrl }: Settings, port: number): string | undefined {
  return publicUrl === undefined ? undefined : `${new URL(publicUrl).hostname}:${port}`;
}

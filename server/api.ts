import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createAgentRegistry, createApp } from '../api/index.js';
import type { AgentDefinition } from '../core/agent.js';
import type { Journal } from '../core/journal.js';
import type { Dispatcher } from '../dispatch/index.js';
import { AddressGuard } from '../webhooks/guard.js';
import { openCallers } from './callers.js';
import type { Running } from './closing.js';
import { listenForGrpc } from './grpc.js';
import { PortInUse } from './ports.js';
import { localUrl, type Settings } from './settings.js';
import { readSigningKey } from './signing-key.js';

/** Answers under way get this long when the server closes. */
const DRAIN_WITHIN = 3_000;

export interface ApiDeps {
  settings: Settings;
  journal: Journal;
  dispatcher: Dispatcher;
  agents: readonly AgentDefinition[];
  log: Logger;
}

export interface ApiServer extends Running {
  /** Where clients on this machine reach it. */
  readonly url: string;
  /** `host:port` of the gRPC server for them; undefined where there is none. */
  readonly grpcAddress: string | undefined;
  /** Of the agent at the root address. */
  readonly defaultAgent: string;
  /**
   * Takes no more connections, ends streams with a hint when to come back, answers waiting sends with their
   * tasks as they are, and is gone after three seconds at most (F09).
   */
  close(): Promise<void>;
}

/** Serves the A2A API over HTTP and gRPC. Throws {@link PortInUse}. */
export async function startApi({ settings, journal, dispatcher, agents, log }: ApiDeps): Promise<ApiServer> {
  const { host, port } = settings.http;
  const registry = createAgentRegistry(agents, settings.defaultAgent);
  const { signingKeyFile } = settings;
  const signingKey = signingKeyFile === undefined ? undefined : await readSigningKey(signingKeyFile);
  // Before anybody can call.
  const callers = await openCallers(settings, log);
  const server = createServer();
  await listen(server, host, port);
  const grpc = await listenForGrpc(settings).catch((error: unknown) => {
    server.close();
    throw error;
  });
  const address = server.address();
  const url = localUrl(host, typeof address === 'object' && address !== null ? address.port : port);
  const { app, close: drain } = createApp({
    journal,
    deliver: (commands) => dispatcher.deliver(commands),
    agents: registry,
    authenticator: callers.authenticator,
    signingKey,
    logger: log,
    guard: new AddressGuard({ allowPrivate: settings.webhooks.allowPrivate }),
    settings: { ...settings.api, publicUrl: settings.publicUrl ?? url, grpcAddress: grpc?.cardAddress },
    ...(grpc !== undefined && { grpc: grpc.server }),
    temporalReady: () => dispatcher.ready(),
  });
  server.on('request', app);
  log.info({ url, grpc: grpc?.address }, 'the API listens');

  return {
    url,
    grpcAddress: grpc?.address,
    defaultAgent: registry.default.code,
    async close() {
      const closed = once(server, 'close');
      server.close();
      drain();
      const grpcClosed = grpc?.close(DRAIN_WITHIN);
      const late = await Promise.race([closed, delay(DRAIN_WITHIN, 'late', { ref: false })]);
      if (late === 'late') server.closeAllConnections();
      await closed;
      await callers.close();
      await grpcClosed;
    },
  };
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
      throw new PortInUse(port, 'PORT', 'Set PORT to another one.');
    }
    throw error;
  }
}

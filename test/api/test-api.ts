import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServerCredentials } from '@grpc/grpc-js';
import { pino, type Logger } from 'pino';
import {
  createAgentRegistry,
  createApp,
  createGrpcServer,
  DEFAULT_API_SETTINGS,
  type ApiSettings,
  type App,
  type Authenticator,
  type CardKey,
} from '../../api/index.js';
import type { AgentDefinition } from '../../core/agent.js';
import type { Journal } from '../../core/journal.js';
import type { WebhookGuard } from '../../core/push.js';
import { openSqliteJournal } from '../../journal/index.js';
import { GrpcClient } from '../support/grpc-client.js';
import { AddressGuard } from '../../webhooks/guard.js';
import { RpcClient } from '../support/rpc-client.js';
import { scriptFor, TEST_AGENTS } from './agents.js';
import { ScriptedWorker } from './scripted-worker.js';

export interface TestApi {
  url: string;
  journal: Journal;
  worker: ScriptedWorker;
  app: App;
  server: Server;
  rpc: RpcClient;
  grpc: GrpcClient;
  /** `host:port`. */
  grpcAddress: string;
  /** JSON-RPC with full control over the body. */
  post(path: string, body: string | Uint8Array, headers?: Record<string, string>): Promise<Response>;
  /** HTTP+JSON below `/a2a/rest`; a body is sent as JSON. */
  rest(verb: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
  /** The API alone, again, on the same journal and another port. */
  restart(settings?: Partial<ApiSettings>): Promise<void>;
  close(): Promise<void>;
}

export interface TestApiOptions {
  settings?: Partial<ApiSettings>;
  logger?: Logger;
  temporalReady?: () => boolean | Promise<boolean>;
  /** Default: everybody is anonymous. */
  authenticator?: Authenticator;
  signingKey?: CardKey;
  /** Default: false, so that cards are the same from run to run. */
  grpcInCard?: boolean;
  /** Where webhooks may go. Default: anywhere. */
  guard?: WebhookGuard;
  /** Default: {@link TEST_AGENTS}. */
  agents?: AgentDefinition[];
  /** Between the API and the real journal, to make it fail. */
  wrapJournal?: (journal: Journal) => Journal;
}

/** The API on loopback over a real SQLite journal, with scripted agents. */
export async function startTestApi(options: TestApiOptions = {}): Promise<TestApi> {
  const folder = await mkdtemp(join(tmpdir(), 'a2a-api-'));
  const real = await openSqliteJournal({ file: join(folder, 'journal.db') });
  const journal = options.wrapJournal?.(real) ?? real;
  const worker = new ScriptedWorker(real, scriptFor);
  const logger = options.logger ?? pino({ level: 'silent' });

  const api = {} as TestApi;
  let stopGrpc = () => Promise.resolve();
  const start = async (settings: Partial<ApiSettings>) => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const grpcServer = createGrpcServer({ ...DEFAULT_API_SETTINGS, ...settings });
    const grpcPort = await new Promise<number>((resolve, reject) => {
      grpcServer.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
        error === null ? resolve(port) : reject(error),
      );
    });
    const grpcAddress = `127.0.0.1:${grpcPort}`;
    const app = createApp({
      grpc: grpcServer,
      journal,
      deliver: worker.deliver,
      agents: createAgentRegistry(options.agents ?? TEST_AGENTS),
      logger,
      guard: options.guard ?? new AddressGuard({ allowPrivate: true }),
      settings: {
        publicUrl: url,
        ...(options.grpcInCard === true && { grpcAddress }),
        ...settings,
      },
      ...(options.temporalReady && { temporalReady: options.temporalReady }),
      ...(options.authenticator && { authenticator: options.authenticator }),
      signingKey: options.signingKey,
    });
    server.on('request', app.app);
    const grpc = new GrpcClient(grpcAddress);
    Object.assign(api, { url, app, server, rpc: new RpcClient(`${url}/`), grpc, grpcAddress });
    stopGrpc = async () => {
      grpc.close();
      await new Promise<void>((resolve) => {
        grpcServer.tryShutdown(() => resolve());
        setTimeout(() => grpcServer.forceShutdown(), 500).unref();
        setTimeout(resolve, 600).unref();
      });
    };
  };
  const stop = async () => {
    const { app, server } = api;
    app.close();
    const closed = new Promise((resolve) => server.close(resolve));
    await stopGrpc();
    server.closeIdleConnections();
    const late = setTimeout(() => server.closeAllConnections(), 500);
    await closed;
    clearTimeout(late);
  };

  await start(options.settings ?? {});
  return Object.assign(api, {
    journal,
    worker,
    post: (path: string, body: string | Uint8Array, headers: Record<string, string> = {}) =>
      fetch(api.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : Buffer.from(body),
      }),
    rest: (verb: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
      fetch(`${api.url}/a2a/rest${path}`, {
        method: verb,
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    restart: async (settings = options.settings ?? {}) => {
      await stop();
      await start(settings);
    },
    close: async () => {
      await stop();
      await real.close();
      await rm(folder, { recursive: true, force: true });
    },
  });
}

/** The journal with some of its methods replaced. */
export function withMethods(journal: Journal, methods: Partial<Journal>): Journal {
  return new Proxy(journal, {
    get(target, name) {
      const given: unknown = Reflect.get(methods, name);
      if (given !== undefined) return given;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}

/** Polls until the condition holds. */
export async function eventually(condition: () => boolean | Promise<boolean>, millis = 5_000): Promise<void> {
  const end = Date.now() + millis;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error('the condition did not come to hold in time');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

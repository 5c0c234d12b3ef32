import type { Server as GrpcServer } from '@grpc/grpc-js';
import express, { type NextFunction, type Request, type Response } from 'express';
import type { Logger } from 'pino';
import { A2AError } from '../core/errors.js';
import type { Command, Journal } from '../core/journal.js';
import type { WebhookGuard } from '../core/push.js';
import { createCodecs } from '../wire/codecs.js';
import { DIALECTS, type Dialect, type DialectName } from '../wire/dialects.js';
import type { AgentRegistry } from './agent-registry.js';
import { anonymous, type Authenticator } from './authentication.js';
import type { BindingDeps, Speaker } from './binding.js';
import { cardRouter, jwksRouter } from './card-routes.js';
import type { CardKey } from './card-signatures.js';
import { Cards } from './cards.js';
import { serveGrpc } from './grpc/index.js';
import { createReadiness, healthHandler, readinessHandler } from './health.js';
import { jsonRpcHandler } from './jsonrpc.js';
import { createOperations } from './operations.js';
import { agenticRouter } from './agentic.js';
import { requestLog } from './request-log.js';
import { answerFailure } from './respond.js';
import { REST_TABLES } from './rest-routes.js';
import { pushProgressRouter } from './push-progress.js';
import { restHandler } from './rest.js';
import { DEFAULT_API_SETTINGS, type ApiSettings } from './settings.js';
import { encodeOnce, SseStreams } from './sse.js';
import { StreamSlots } from './stream-slots.js';
import { withChosenIds } from './tasks/chosen-ids.js';
import { createTaskService, type TaskService } from './tasks/task-service.js';

export { createAgentRegistry, type AgentRegistry } from './agent-registry.js';
export { ApiKeys, digestOf, type ApiKey } from './api-keys.js';
export type { CardKey } from './card-signatures.js';
export { anonymous, type Authenticator } from './authentication.js';
export { createGrpcServer } from './grpc/index.js';
export { DEFAULT_API_SETTINGS, type ApiSettings } from './settings.js';
export type { TaskService } from './tasks/task-service.js';

export interface AppDeps {
  journal: Journal;
  /** Hands commands to Temporal in the background; must not throw. */
  deliver: (commands: Command[]) => void;
  agents: AgentRegistry;
  logger: Logger;
  /** Where webhooks may go. */
  guard: WebhookGuard;
  settings?: Partial<ApiSettings>;
  /** Default: everybody is anonymous. */
  authenticator?: Authenticator;
  /** Signs agent cards; its public half is served as JWKS. */
  signingKey?: CardKey | undefined;
  /** For `/readyz`. Default: always. */
  temporalReady?: () => boolean | Promise<boolean>;
  /** Milliseconds since the epoch. */
  clock?: () => number;
  /** Made by `createGrpcServer`; gets the services of the gRPC binding. */
  grpc?: GrpcServer;
}

export interface App {
  /** Give it to `http.createServer`. */
  app: express.Express;
  service: TaskService;
  /** Event streams that are open now. */
  readonly openStreams: number;
  /**
   * Ends streams with a hint when to come back, answers waiting sends with their tasks as they are, and
   * refuses new streams. The HTTP and gRPC servers are the caller's to close, afterwards.
   */
  close(): void;
}

/** The HTTP API: every binding, dialect and agent on one Express app. */
export function createApp(deps: AppDeps): App {
  const { journal, deliver, agents, logger, temporalReady = () => true, clock = Date.now } = deps;
  const { authenticator = anonymous, guard } = deps;
  const settings: ApiSettings = { ...DEFAULT_API_SETTINGS, ...deps.settings };
  const service = createTaskService({ journal, deliver, guard, settings, clock });
  const sse = new SseStreams(settings, logger);
  const slots = new StreamSlots(settings.maxStreamsPerCaller);
  const codecs = createCodecs({
    parts: settings.maxParts,
    depth: settings.maxDepth,
    legacyFragments: settings.legacyFragments,
  });
  const cards = new Cards({ agents, authenticator, settings, cardKey: deps.signingKey });
  const ownIds = withChosenIds(service, { journal, clock });
  const speaker = ({ name, card, chosenIds }: Dialect): Speaker => ({
    operations: createOperations(chosenIds ? ownIds : service, codecs[name], slots, (agent) =>
      cards.extended(agent, card),
    ),
    eventText: encodeOnce((event, passed) => codecs[name].encodeEvent(event, passed)),
  });
  const speakers = Object.fromEntries(
    Object.values(DIALECTS).map((dialect) => [dialect.name, speaker(dialect)]),
  ) as Record<DialectName, Speaker>;
  const binding: BindingDeps = { journal, agents, authenticator, speakers, sse, settings, logger };
  let draining = false;
  const readiness = createReadiness({ journal, temporalReady, draining: () => draining });
  const grpc = deps.grpc && serveGrpc(deps.grpc, binding, readiness);

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use(requestLog(logger));
  app.get('/healthz', healthHandler);
  app.get('/readyz', readinessHandler(readiness));
  // The same addresses for each agent as for the default one at the root.
  const addresses = agentAddresses(binding, cards, service);
  if (deps.signingKey !== undefined) app.use(jwksRouter(binding, deps.signingKey.publicJwk));
  app.use('/agents/:code', addresses);
  app.use(addresses);
  app.use(() => {
    throw new A2AError('NOT_FOUND', 'There is nothing at this address');
  });
  app.use((thrown: unknown, _request: Request, response: Response, _next: NextFunction) => {
    answerFailure(response, asClientError(thrown), { logger, errorTable: settings.errorTable });
  });

  return {
    app,
    service,
    get openStreams() {
      return sse.size + (grpc?.openStreams ?? 0);
    },
    close() {
      draining = true;
      slots.close();
      sse.close();
      grpc?.close();
      service.close();
    },
  };
}

/** Where an agent can be called and read about, relative to its own base address. */
function agentAddresses(binding: BindingDeps, cards: Cards, service: TaskService): express.Router {
  const router = express.Router({ mergeParams: true });
  router.use(cardRouter(binding, cards));
  const rpc = jsonRpcHandler(binding);
  const draft = jsonRpcHandler(binding, 'draft');
  for (const [address, handler] of [
    ['/', rpc],
    ['/a2a/jsonrpc', rpc],
    ['/a2a/draft', draft],
  ] as const) {
    router.post(address, handler);
    router.all(address, (_request, response) => {
      response.setHeader('Allow', 'POST');
      throw new A2AError('METHOD_NOT_FOUND', 'This address takes JSON-RPC requests by POST');
    });
  }
  router.use('/a2a/rest', pushProgressRouter(binding, service));
  router.use('/a2a/rest', restHandler(binding, REST_TABLES));
  router.use('/v2/agentic', agenticRouter(binding, service));
  return router;
}

/** What Express itself throws at a client: an address that it cannot decode. */
function asClientError(thrown: unknown): unknown {
  if (!(thrown instanceof URIError)) return thrown;
  return new A2AError('INVALID_PARAMS', 'Invalid parameters: path is not valid percent-encoding', {
    violations: [{ field: 'path', description: 'is not valid percent-encoding' }],
  });
}

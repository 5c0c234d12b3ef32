import type { Logger } from 'pino';
import { loadAgents } from '../worker/index.js';
import { startApi } from './api.js';
import { openBackbone } from './backbone.js';
import { Closing, type Running } from './closing.js';
import { takeDataFolder } from './data-folder.js';
import { createLog } from './log.js';
import { loadModels } from './models.js';
import type { Settings } from './settings.js';
import { startSweeping } from './sweep.js';
import { findTemporal } from './temporal-binary.js';
import { startTemporal } from './temporal-process.js';
import { startWorker } from './worker.js';

export interface StartedServer extends Running {
  /** Where clients on this machine reach the API. */
  readonly url: string;
  /** `host:port` of the gRPC server; undefined where there is none. */
  readonly grpcAddress: string | undefined;
  /** `host:port`. */
  readonly temporalAddress: string;
  /** Temporal's web interface, where this server runs it. */
  readonly temporalUiUrl: string | undefined;
  /** Codes; the first one answers at the root address. */
  readonly agents: readonly string[];
}

export interface StartOptions {
  settings: Settings;
  /** In which the Temporal binary is looked for. */
  env: NodeJS.ProcessEnv;
  /** Gets lines for a person. */
  report(line: string): void;
}

/** The whole server on one machine: Temporal beside it, then journal, worker and API in this process. */
export async function startServer({ settings, env, report }: StartOptions): Promise<StartedServer> {
  // First what can be wrong without anything having been started.
  const agents = await loadAgents(settings.agentsFolder);
  const models = await loadModels(settings.models);
  const releaseFolder = await takeDataFolder(settings.data);
  const log = await createLog({ level: settings.logLevel, file: settings.data.serverLog });
  const closing = new Closing();
  closing.add('data folder', releaseFolder);
  try {
    const temporal = await provideTemporal({ settings, env, report }, log, closing);
    report(`Starting the worker with ${agents.length === 1 ? '1 agent' : `${agents.length} agents`}`);
    const backbone = await openBackbone(settings, temporal.address, log, closing);
    const worker = await startWorker({ settings, ...backbone, agents, models, log });
    closing.add('worker', () => worker.close());
    const sweeping = startSweeping(backbone.journal, log);
    closing.add('sweeping', () => sweeping.close());
    const definitions = agents.map(({ definition }) => definition);
    const api = await startApi({ settings, ...backbone, agents: definitions, log });
    closing.add('API', () => api.close());

    const others = definitions.map(({ code }) => code).filter((code) => code !== api.defaultAgent);
    return {
      url: api.url,
      grpcAddress: api.grpcAddress,
      temporalAddress: temporal.address,
      temporalUiUrl: temporal.uiUrl,
      agents: [api.defaultAgent, ...others],
      close: () => closing.close(log),
    };
  } catch (error) {
    await closing.close(log);
    throw error;
  }
}

async function provideTemporal(
  { settings, env, report }: StartOptions,
  log: Logger,
  closing: Closing,
): Promise<{ address: string; uiUrl?: string | undefined }> {
  const source = await findTemporal({ env, report });
  if (source.kind === 'address') {
    report(`Using Temporal at ${source.address}`);
    return source;
  }
  report('Starting Temporal');
  const temporal = await startTemporal({
    binary: source.path,
    databaseFile: settings.data.temporalDatabase,
    ...settings.temporal.embedded,
    logFile: settings.data.temporalLog,
    onRestart: ({ restarting, code }) => {
      if (restarting) log.error({ code }, 'Temporal ended; starting it again');
      else log.info('Temporal runs again');
    },
  });
  closing.add('Temporal', () => temporal.close());
  return temporal;
}

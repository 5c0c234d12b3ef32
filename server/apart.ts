import { mkdir } from 'node:fs/promises';
import type { Logger } from 'pino';
import { loadAgents } from '../worker/index.js';
import { startApi } from './api.js';
import { openBackbone, type Backbone } from './backbone.js';
import { Closing, type Running } from './closing.js';
import { createLog } from './log.js';
import { loadModels } from './models.js';
import type { Settings } from './settings.js';
import { startSweeping } from './sweep.js';
import { startWorker } from './worker.js';

/** The API alone: `a2a-temporal api`. Accepts and reads also while Temporal and every worker are down. */
export async function startApiProcess(settings: Settings): Promise<Running & { url: string }> {
  const log = await createLog({ level: settings.logLevel });
  const agents = await loadAgents(settings.agentsFolder);
  return assemble(settings, log, async (backbone, closing) => {
    const api = await startApi({
      settings,
      ...backbone,
      agents: agents.map(({ definition }) => definition),
      log,
    });
    closing.add('API', () => api.close());
    return { url: api.url };
  });
}

/** A worker alone: `a2a-temporal worker`. */
export async function startWorkerProcess(settings: Settings): Promise<Running> {
  const log = await createLog({ level: settings.logLevel });
  const agents = await loadAgents(settings.agentsFolder);
  const models = await loadModels(settings.models);
  return assemble(settings, log, async (backbone, closing) => {
    const worker = await startWorker({ settings, ...backbone, agents, models, log });
    closing.add('worker', () => worker.close());
    const sweeping = startSweeping(backbone.journal, log);
    closing.add('sweeping', () => sweeping.close());
    log.info({ agents: agents.map(({ definition }) => definition.code) }, 'the worker runs');
    return {};
  });
}

/** Where a Temporal server listens by default. */
const DEFAULT_TEMPORAL = '127.0.0.1:7233';

async function assemble<T extends object>(
  settings: Settings,
  log: Logger,
  start: (backbone: Backbone, closing: Closing) => Promise<T>,
): Promise<Running & T> {
  const closing = new Closing();
  try {
    await mkdir(settings.data.path, { recursive: true, mode: 0o700 });
    const address = settings.temporal.address ?? DEFAULT_TEMPORAL;
    const started = await start(await openBackbone(settings, address, log, closing), closing);
    return { ...started, close: () => closing.close(log) };
  } catch (error) {
    await closing.close(log);
    throw error;
  }
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client } from '@temporalio/client';
import type { WorkflowBundle } from '@temporalio/worker';
import { expect, inject } from 'vitest';
import type { Journal } from '../../core/journal.js';
import { startApi } from '../../server/api.js';
import { openBackbone } from '../../server/backbone.js';
import { Closing } from '../../server/closing.js';
import { createLog } from '../../server/log.js';
import { loadModels } from '../../server/models.js';
import { readSettings } from '../../server/settings.js';
import { startWorker } from '../../server/worker.js';
import { bundleWorkflows, loadAgents } from '../../worker/index.js';
import { RpcClient } from './rpc-client.js';

const TEST_AGENTS = fileURLToPath(new URL('../agents', import.meta.url));

/** The whole server in the test's process, on the run's Temporal server and a journal of its own. */
export interface Stack {
  url: string;
  rpc: RpcClient;
  journal: Journal;
  client: Client;
  workflowBundle: WorkflowBundle;
  stopWorker(): Promise<void>;
  startWorker(): Promise<void>;
  close(): Promise<void>;
}

export interface StackOptions {
  env?: Record<string, string>;
  /** Default: test/agents, with `script` as the default agent. */
  agentsFolder?: string;
}

export async function startStack({
  env = {},
  agentsFolder = TEST_AGENTS,
}: StackOptions = {}): Promise<Stack> {
  const folder = await mkdtemp(join(tmpdir(), 'a2a-temporal-stack-'));
  const read = readSettings({
    PORT: '0',
    LOG_LEVEL: 'error',
    DATA_DIR: folder,
    TEMPORAL_TASK_QUEUE: `${expect.getState().testPath?.split('/').at(-1) ?? 'test'}-${folder.slice(-6)}`,
    AGENTS_DIR: agentsFolder,
    ...(agentsFolder === TEST_AGENTS && { DEFAULT_AGENT: 'script' }),
    ...env,
  });
  // Bundling takes seconds: all stacks of a run share what is made from the same sources.
  const bundle = join(tmpdir(), `a2a-temporal-bundle-${agentsFolder.replaceAll(/\W/g, '-')}`);
  const settings = { ...read, data: { ...read.data, bundle } };
  const log = await createLog({ level: settings.logLevel });
  const agents = await loadAgents(agentsFolder);
  const models = await loadModels(settings.models);
  const closing = new Closing();
  const backbone = await openBackbone(settings, inject('temporalAddress'), log, closing);
  let worker = await startWorker({ settings, ...backbone, agents, models, log });
  closing.add('worker', () => worker.close());
  const definitions = agents.map(({ definition }) => definition);
  const api = await startApi({ settings, ...backbone, agents: definitions, log });
  closing.add('API', () => api.close());
  const { client } = await backbone.temporal.connected();
  return {
    url: api.url,
    rpc: new RpcClient(`${api.url}/a2a/jsonrpc`),
    journal: backbone.journal,
    client,
    workflowBundle: await bundleWorkflows({ agentFiles: agents.map(({ file }) => file), folder: bundle }),
    stopWorker: () => worker.close(),
    async startWorker() {
      worker = await startWorker({ settings, ...backbone, agents, models, log });
    },
    async close() {
      await closing.close(log);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

import { resolve } from 'node:path';
import { DEFAULT_API_SETTINGS, type ApiSettings } from '../api/settings.js';
import type { Schedule } from '../webhooks/schedule.js';
import { dataFolder, type DataFolder } from './data-folder.js';
import { type ModelsSettings, modelsSettings } from './models.js';
import { readValues, type SettingValues } from './settings-table.js';

/** What the server is told, checked and in the shape in which its parts take it. */
export interface Settings {
  http: { host: string; port: number };
  grpc: {
    /** Undefined where there is no gRPC server. */
    port: number | undefined;
    /** `host:port` for clients; undefined where it follows from the other settings. */
    publicAddress: string | undefined;
    inCard: boolean;
  };
  /** The base URL that clients use; undefined where it follows from host and port. */
  publicUrl: string | undefined;
  /** Of the callers' keys; undefined where everybody is anonymous. */
  apiKeysFile: string | undefined;
  signingKeyFile: string | undefined;
  api: Omit<ApiSettings, 'publicUrl' | 'grpcAddress'>;
  data: DataFolder;
  journal: JournalSettings;
  agentsFolder: string;
  defaultAgent: string | undefined;
  logLevel: SettingValues['LOG_LEVEL'];
  temporal: {
    /** Of a server that runs already. */
    address: string | undefined;
    namespace: string;
    taskQueue: string;
    /** Of the one that `start` runs. */
    embedded: { port: number; uiPort: number | false };
  };
  webhooks: { allowPrivate: boolean; timeout: number; schedule: Schedule };
  streamArtifacts: boolean;
  maxCachedWorkflows: number;
  models: ModelsSettings;
}

export interface JournalSettings {
  /** Of SQLite. */
  file: string;
  keepFragments: number;
  keepEvents: number;
  keepTasks: number;
  contextExpiry: number;
  snapshotCache: number;
  maxPushConfigs: number;
}

const LOOPBACK = /^(127(\.\d{1,3}){3}|::1|localhost)$/;

/** Throws an Error whose message names every variable that is wrong, and never a secret. */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const values = readValues(env);
  const data = dataFolder(values.DATA_DIR);
  const authenticated = values.API_KEYS_FILE !== undefined || values.ALLOW_ANONYMOUS_REMOTE;
  if (!LOOPBACK.test(values.HOST) && !authenticated) {
    throw new Error(
      `HOST=${values.HOST}: without API keys every caller is anonymous, so the server listens on loopback only. ` +
        'Set API_KEYS_FILE (a2a-temporal key create writes it). If something in front of the server checks who ' +
        'calls, set ALLOW_ANONYMOUS_REMOTE=true.',
    );
  }
  return {
    http: { host: values.HOST, port: values.PORT },
    grpc: {
      port: grpcPort(values),
      publicAddress: values.GRPC_PUBLIC_ADDRESS,
      inCard: values.GRPC_IN_CARD,
    },
    publicUrl: values.PUBLIC_URL,
    signingKeyFile: values.SIGNING_KEY_FILE === undefined ? undefined : resolve(values.SIGNING_KEY_FILE),
    apiKeysFile: values.API_KEYS_FILE === undefined ? undefined : resolve(values.API_KEYS_FILE),
    api: {
      ...DEFAULT_API_SETTINGS,
      errorTable: values.ERROR_TABLE,
      strictVersion: values.STRICT_VERSION,
      maxBodyBytes: values.MAX_BODY_SIZE,
      maxParts: values.MAX_PARTS,
      maxDepth: values.MAX_DEPTH,
      legacyFragments: values.STREAM_ARTIFACTS_LEGACY,
      maxStreamsPerCaller: values.MAX_STREAMS_PER_CALLER,
      keepAliveMs: values.KEEP_ALIVE,
      reconnectMs: values.RECONNECT_AFTER,
      stalledReaderMs: values.STALLED_READER_TIMEOUT,
      workerWaitMs: values.WORKER_WAIT,
      cancelWaitMs: values.CANCEL_WAIT,
      blockingLimitMs: values.BLOCKING_LIMIT,
      cardVersion: values.CARD_VERSION,
      cardMaxAgeSeconds: Math.round(values.CARD_MAX_AGE / 1_000),
    },
    data,
    journal: {
      file: journalFile(values.DATABASE_URL, data),
      keepFragments: values.KEEP_FRAGMENTS,
      keepEvents: values.KEEP_EVENTS,
      keepTasks: values.KEEP_TASKS,
      contextExpiry: values.CONTEXT_EXPIRY,
      snapshotCache: values.SNAPSHOT_CACHE_SIZE,
      maxPushConfigs: values.MAX_WEBHOOKS_PER_TASK,
    },
    agentsFolder: resolve(values.AGENTS_DIR),
    defaultAgent: values.DEFAULT_AGENT,
    logLevel: values.LOG_LEVEL,
    temporal: {
      address: values.TEMPORAL_ADDRESS,
      namespace: values.TEMPORAL_NAMESPACE,
      taskQueue: values.TEMPORAL_TASK_QUEUE,
      embedded: {
        port: values.TEMPORAL_PORT,
        uiPort: values.TEMPORAL_HEADLESS ? false : values.TEMPORAL_UI_PORT,
      },
    },
    webhooks: {
      allowPrivate: values.WEBHOOKS_ALLOW_PRIVATE,
      timeout: values.WEBHOOK_TIMEOUT,
      schedule: {
        firstPause: values.WEBHOOK_FIRST_PAUSE,
        longestPause: values.WEBHOOK_LONGEST_PAUSE,
        giveUpAfter: values.WEBHOOK_GIVE_UP_AFTER,
      },
    },
    streamArtifacts: values.STREAM_ARTIFACTS,
    maxCachedWorkflows: values.MAX_CACHED_WORKFLOWS,
    models: modelsSettings(values, env),
  };
}

/** `host:port` that a client on this machine uses: an address for "all interfaces" is none that one can call. */
export function localAddress(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `${name}:${port}`;
}

export function localUrl(host: string, port: number): string {
  return `http://${localAddress(host, port)}`;
}

function grpcPort({ GRPC_PORT: given, PORT: port }: SettingValues): number | undefined {
  if (given === 'off') return undefined;
  if (given !== undefined) return given;
  if (port === 65_535) throw new Error('GRPC_PORT is missing: there is no port after PORT=65535');
  // Beside a free port there may be none.
  return port === 0 ? 0 : port + 1;
}

function journalFile(url: string | undefined, data: DataFolder): string {
  if (url === undefined) return data.journal;
  if (/^postgres(ql)?:/.test(url)) {
    // The URL may hold a password, so it is not shown.
    throw new Error('DATABASE_URL: PostgreSQL comes in a later version; leave it unset or give file:PATH');
  }
  const [, path] = /^(?:file|sqlite):(?:\/\/)?(.+)$/.exec(url) ?? [];
  if (path === undefined) throw new Error('DATABASE_URL: expected file:PATH');
  return resolve(path);
}

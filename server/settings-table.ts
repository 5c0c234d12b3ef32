import { z } from 'zod';
import { PROVIDER_NAMES } from '../activities/model/configured-model.js';
import {
  duration,
  durationOrForever,
  flag,
  hostPort,
  optional,
  port,
  size,
  text,
  timeLimit,
  url,
  whole,
} from './setting-values.js';
import { settings, type Setting } from './setting.js';
import { WEBHOOK_SETTINGS } from './webhook-settings.js';

/** Every setting of the server; docs/settings.md is made from this table. */
const SETTINGS = settings({
  PORT: { schema: port, default: '4000', meaning: 'Port of the HTTP server; 0 takes a free one.' },
  HOST: { schema: text, default: '127.0.0.1', meaning: 'Address that the HTTP server listens on.' },
  PUBLIC_URL: {
    schema: url.optional(),
    meaning: 'The base URL that clients use, as agent cards show it. Default: `http://HOST:PORT`.',
  },
  API_KEYS_FILE: {
    schema: optional,
    meaning:
      'File of the callers’ API keys, as `a2a-temporal key create` writes it; read again when it changes. Without it every caller is anonymous.',
  },
  GRPC_PORT: {
    schema: z
      .union([z.literal('off'), port], { error: 'expected a port from 0 to 65535, or off' })
      .optional(),
    meaning:
      'Port of the gRPC server, on the same `HOST`; 0 takes a free one, `off` runs none. Default: the one after `PORT`, so 4001.',
  },
  GRPC_PUBLIC_ADDRESS: {
    schema: hostPort.optional(),
    meaning:
      '`host:port` that gRPC clients use, as agent cards show it. Default: the host of `PUBLIC_URL` or of this server, with `GRPC_PORT`.',
  },
  GRPC_IN_CARD: {
    schema: flag,
    default: 'true',
    meaning: 'List gRPC in agent cards. Google ADK refuses a card that lists an address of another origin.',
  },
  ALLOW_ANONYMOUS_REMOTE: {
    schema: flag,
    default: 'false',
    meaning: 'Listen beyond loopback although there are no API keys. Only behind something that checks them.',
  },
  DATA_DIR: { schema: text, default: '.data', meaning: 'Folder for everything that the server keeps.' },
  DATABASE_URL: {
    schema: optional,
    meaning: 'The journal: `file:PATH` of a SQLite file. Default: `journal.db` in `DATA_DIR`.',
  },
  KEEP_FRAGMENTS: {
    schema: duration,
    default: '10m',
    meaning:
      'Fragments of an artifact are dropped this long after it was closed; its closing event keeps the whole text.',
  },
  KEEP_EVENTS: {
    schema: durationOrForever,
    default: '7d',
    meaning:
      'Events of a task are dropped this long after it ended, so streams resume no more; the task stays.',
  },
  KEEP_TASKS: {
    schema: durationOrForever,
    default: 'forever',
    meaning: 'A task is dropped, with all that belongs to it, this long after it ended.',
  },
  CONTEXT_EXPIRY: {
    schema: durationOrForever,
    default: 'forever',
    meaning: 'A context without an open task that was not used for this long takes no new task.',
  },
  SNAPSHOT_CACHE_SIZE: {
    schema: size,
    default: '64MiB',
    meaning: 'Memory for the newest tasks that were read.',
  },
  AGENTS_DIR: {
    schema: text,
    default: 'agents',
    meaning: 'Folder of agents; `--agents` on the command line.',
  },
  DEFAULT_AGENT: {
    schema: optional,
    meaning: 'Code of the agent at the root address. Default: the first one by file name.',
  },
  LOG_LEVEL: {
    schema: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
      error: 'expected trace, debug, info, warn, error, fatal or silent',
    }),
    default: 'info',
    meaning: 'Least level that is logged.',
  },

  TEMPORAL_ADDRESS: {
    schema: hostPort.optional(),
    meaning: '`host:port` of a Temporal server that runs already. Without it `start` runs one itself.',
  },
  TEMPORAL_NAMESPACE: { schema: text, default: 'default', meaning: 'Temporal namespace.' },
  TEMPORAL_TASK_QUEUE: {
    schema: text,
    default: 'a2a',
    meaning: 'Temporal task queue of the task workflows.',
  },
  TEMPORAL_CLI_PATH: {
    schema: optional,
    meaning:
      'The `temporal` binary that `start` runs. Default: on `PATH`, else in the cache folder, else downloaded, else built with Go.',
  },
  TEMPORAL_DOWNLOAD_URL: {
    schema: url,
    default: 'https://temporal.download/cli/archive',
    meaning: 'Where it is downloaded from, for a mirror.',
  },
  TEMPORAL_PORT: {
    schema: port,
    default: '7233',
    meaning: 'Port of the Temporal server that `start` runs; 0 takes a free one.',
  },
  TEMPORAL_UI_PORT: { schema: port, default: '8233', meaning: 'Port of its web interface.' },
  TEMPORAL_HEADLESS: { schema: flag, default: 'false', meaning: 'Run it without the web interface.' },

  MAX_BODY_SIZE: { schema: size, default: '10MiB', meaning: 'Largest request body.' },
  MAX_PARTS: { schema: whole(1, 100_000), default: '1000', meaning: 'Most parts in a message.' },
  MAX_DEPTH: { schema: whole(1, 1_000), default: '100', meaning: 'Deepest nesting of metadata and data.' },
  MAX_STREAMS_PER_CALLER: {
    schema: whole(1, 1_000_000),
    default: '5000',
    meaning: 'Streams that one caller may have open in one process.',
  },
  KEEP_ALIVE: {
    schema: timeLimit,
    default: '15s',
    meaning: 'A stream that is silent this long gets a comment line.',
  },
  RECONNECT_AFTER: {
    schema: duration,
    default: '1s',
    meaning: 'How soon a client whose stream broke should come back (`retry:`).',
  },
  STALLED_READER_TIMEOUT: {
    schema: timeLimit,
    default: '2m',
    meaning: 'A stream whose reader takes nothing for this long is cut off; it can be resumed.',
  },
  WORKER_WAIT: {
    schema: duration,
    default: '5s',
    meaning: 'A blocking send that no worker takes up within this time answers with the submitted task.',
  },
  CANCEL_WAIT: {
    schema: duration,
    default: '5s',
    meaning: 'A cancel that no worker takes up within this time is carried out without one.',
  },
  BLOCKING_LIMIT: {
    schema: timeLimit,
    default: '10m',
    meaning: 'A blocking send answers with the task as it is after this long.',
  },
  CARD_MAX_AGE: { schema: duration, default: '5m', meaning: 'How long clients may keep an agent card.' },
  CARD_VERSION: {
    schema: z.enum(['1.0', '0.3'], { error: 'expected 1.0 or 0.3' }),
    default: '1.0',
    meaning: 'Shape of the agent card for clients that name no `A2A-Version`.',
  },
  SIGNING_KEY_FILE: {
    schema: optional,
    meaning:
      'Ed25519 private key in PEM (`openssl genpkey -algorithm ed25519`). Agent cards and webhooks are signed with it; its public half is at `/.well-known/jwks.json`.',
  },
  ERROR_TABLE: {
    schema: z.enum(['1.0.0', '1.0.1'], { error: 'expected 1.0.0 or 1.0.1' }),
    default: '1.0.0',
    meaning: 'Revision of the A2A specification whose error statuses are used.',
  },
  STRICT_VERSION: {
    schema: flag,
    default: 'false',
    meaning: 'Take a request without `A2A-Version` for protocol 0.3, as the specification says.',
  },

  ...WEBHOOK_SETTINGS,

  STREAM_ARTIFACTS: {
    schema: flag,
    default: 'true',
    meaning:
      'Stream artifacts in fragments as they are written; false: each one whole. An agent may decide for itself.',
  },
  STREAM_ARTIFACTS_LEGACY: {
    schema: flag,
    default: 'false',
    meaning:
      'Clients of A2A 0.3 and older get the fragments of artifacts, too; false: each artifact once, whole.',
  },
  MAX_CACHED_WORKFLOWS: {
    schema: whole(0, 100_000),
    default: '200',
    meaning:
      'Running tasks kept in a worker’s memory, about 0.3 MB each; others are replayed when they go on.',
  },

  MODELS_FILE: {
    schema: optional,
    meaning: 'File of several models by name (docs/models.md), instead of the `MODEL_` variables for one.',
  },
  MODEL_NAME: {
    schema: optional,
    meaning:
      'The model that agents ask, as its provider calls it. Without it agents get the scripted demo model.',
  },
  MODEL_PROVIDER: {
    schema: z.enum(PROVIDER_NAMES, { error: `expected ${PROVIDER_NAMES.join(', ')}` }).optional(),
    meaning:
      '`openai`, `anthropic`, or `openai-compatible` for any other. Default: `openai-compatible` with `MODEL_BASE_URL`, else the one whose key is set.',
  },
  MODEL_BASE_URL: {
    schema: url.optional(),
    meaning: 'Base URL of the model’s endpoint; OpenAI and Anthropic have their own.',
  },
  MODEL_API_KEY: {
    schema: optional,
    secret: true,
    meaning: 'Key for it. Default: without `MODEL_BASE_URL` the provider’s variable, as follows.',
  },
  OPENAI_API_KEY: { schema: optional, secret: true, meaning: 'Key for OpenAI.' },
  ANTHROPIC_API_KEY: { schema: optional, secret: true, meaning: 'Key for Anthropic.' },
  MODEL_STALL_TIMEOUT: {
    schema: timeLimit,
    default: '60s',
    meaning: 'A model call is given up and tried again after this long without a byte.',
  },
  SCRIPTED_MODEL_DELAY: {
    schema: duration,
    default: '30ms',
    meaning: 'Pause from word to word of the scripted demo model.',
  },
});

export type SettingName = keyof typeof SETTINGS;
export type SettingValues = { [K in SettingName]: z.output<(typeof SETTINGS)[K]['schema']> };

/** All values, or an Error with one line for each setting that is wrong. An empty variable is an unset one. */
export function readValues(env: NodeJS.ProcessEnv): SettingValues {
  const values: Record<string, unknown> = {};
  const wrong: string[] = [];
  for (const [name, setting] of Object.entries<Setting<unknown>>(SETTINGS)) {
    const given = env[name] || undefined;
    const parsed = setting.schema.safeParse(given ?? setting.default);
    if (parsed.success) values[name] = parsed.data;
    else {
      const shown = setting.secret || given === undefined ? '' : `=${given}`;
      wrong.push(`${name}${shown}: ${parsed.error.issues.map((issue) => issue.message).join('; ')}`);
    }
  }
  if (wrong.length > 0) throw new Error(`Settings that are not right:\n  ${wrong.join('\n  ')}`);
  return values as SettingValues;
}

/** The table of docs/settings.md. */
export function settingsTable(): string {
  const rows = Object.entries<Setting<unknown>>(SETTINGS).map(
    ([name, { default: preset, meaning }]) =>
      `| \`${name}\` | ${preset === undefined ? '' : `\`${preset}\``} | ${meaning} |`,
  );
  return ['| variable | default | meaning |', '|---|---|---|', ...rows].join('\n');
}

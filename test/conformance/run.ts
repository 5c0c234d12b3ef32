import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { digestOf } from '../../api/index.js';
import { writeKeyEntries } from '../../server/api-keys/file.js';
import { runUntilSignal } from '../../server/run.js';
import { readSettings } from '../../server/settings.js';
import { startServer } from '../../server/start.js';
import { conformanceAgentsFolder } from './agents-folder.js';

const HELP = `Runs the conformance agent on a server of its own, with all data in a temporary folder.

  npm run conformance-agent -- [--port N] [--no-capabilities] [--ordinary-asks]
    [--keys alice:KEY,bob:KEY] [--required-extension URI]

  --port N             port of the HTTP server (default 4000)
  --no-capabilities    declare no streaming, push notifications and extended card
  --ordinary-asks      a message that asks for nothing special ends in INPUT_REQUIRED
  --keys NAME:KEY,…    callers need one of these keys; without it anybody may read the extended card, too
  --required-extension URI
                       callers have to name this extension`;

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '4000' },
    capabilities: { type: 'boolean', default: true },
    'ordinary-asks': { type: 'boolean', default: false },
    keys: { type: 'string' },
    'required-extension': { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
  allowNegative: true,
});
if (values.help) {
  console.log(HELP);
  process.exit();
}

const folder = await mkdtemp(join(tmpdir(), 'a2a-temporal-conformance-'));
const env = {
  LOG_LEVEL: 'error',
  // The receivers of tests are on this machine.
  WEBHOOKS_ALLOW_PRIVATE: 'true',
  ...process.env,
  PORT: values.port,
  AGENTS_DIR: await conformanceAgentsFolder({
    capabilities: values.capabilities,
    ordinaryAsks: values['ordinary-asks'],
    requiredExtension: values['required-extension'],
  }),
  DATA_DIR: join(folder, 'data'),
  TEMPORAL_PORT: '0',
  TEMPORAL_UI_PORT: '0',
  ...(values.keys !== undefined && { API_KEYS_FILE: await writeKeys(values.keys) }),
};
const settings = readSettings(env);
if (values.keys === undefined) {
  // The kit reads the extended card without credentials. Nobody beyond this machine may.
  settings.http.host = '127.0.0.1';
  settings.api.anonymousExtendedCard = true;
}
await runUntilSignal(
  async () => {
    const server = await startServer({ settings, env, report: console.error });
    return {
      ...server,
      async close() {
        await server.close();
        await rm(folder, { recursive: true, force: true });
      },
    };
  },
  ({ url }) => console.log(`The conformance agent is at ${url}`),
  console.error,
);

/** `alice:KEY,bob:KEY` as a file of keys; each name is the owner. */
async function writeKeys(text: string): Promise<string> {
  const file = join(folder, 'keys.json');
  const keys = text.split(',').map((pair) => {
    const [owner = '', ...key] = pair.split(':');
    return { name: owner, owner, hash: digestOf(key.join(':')).toString('hex') };
  });
  await writeKeyEntries(file, keys);
  return file;
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runUntilSignal } from '../../server/run.js';
import { readSettings } from '../../server/settings.js';
import { startServer } from '../../server/start.js';
import { conformanceAgentsFolder } from './agents-folder.js';

const HELP = `Runs the conformance agent on a server of its own, with all data in a temporary folder.

  npm run conformance-agent -- [--port N] [--grpc-port N] [--no-capabilities] [--ordinary-asks]

  --port N             port of the HTTP server (default 4000)
  --no-capabilities    declare no streaming, push notifications and extended card
  --ordinary-asks      a message that asks for nothing special ends in INPUT_REQUIRED`;

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '4000' },
    capabilities: { type: 'boolean', default: true },
    'ordinary-asks': { type: 'boolean', default: false },
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
  ...process.env,
  PORT: values.port,
  AGENTS_DIR: await conformanceAgentsFolder({
    capabilities: values.capabilities,
    ordinaryAsks: values['ordinary-asks'],
  }),
  DATA_DIR: join(folder, 'data'),
  TEMPORAL_PORT: '0',
  TEMPORAL_UI_PORT: '0',
};
await runUntilSignal(
  async () => {
    const server = await startServer({ settings: readSettings(env), env, report: console.error });
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

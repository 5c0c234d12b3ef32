#!/usr/bin/env -S node --max-semi-space-size=64
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { KEY_HELP, runKeyCommand } from './api-keys/cli.js';
import { startApiProcess, startWorkerProcess } from './apart.js';
import { initProject } from './init.js';
import { runUntilSignal } from './run.js';
import { readSettings } from './settings.js';
import { startServer } from './start.js';
import { packageVersion } from './version.js';
import { greeting } from './greeting.js';

const HELP = `a2a-temporal ${packageVersion()}: a durable A2A server on Temporal

  a2a-temporal start [--agents DIR] [--port PORT]   run everything on this machine
  a2a-temporal init [DIR]                           write a project with one agent and its test
  a2a-temporal api [--agents DIR] [--port PORT]     run the API alone
  a2a-temporal worker [--agents DIR]                run a worker alone
${KEY_HELP}

  --agents DIR   folder of agents, one file each (AGENTS_DIR; default: agents)
  --port PORT    port of the HTTP server (PORT; default: 4000)

All other settings are environment variables: docs/settings.md. \`api\` and \`worker\` use the Temporal server
at TEMPORAL_ADDRESS (default: 127.0.0.1:7233) and share DATA_DIR.`;

async function main(args: string[]): Promise<void> {
  if (args[0] === 'key' && !args.some((arg) => arg === '--help' || arg === '-h')) {
    const { lines, notes = [] } = await runKeyCommand(args.slice(1), process.env);
    lines.forEach(print);
    notes.forEach(complain);
    return;
  }
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      agents: { type: 'string' },
      port: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'v' },
    },
  });
  const [command, folder, ...more] = positionals;
  if (values.version || values.help || command === undefined) {
    print(values.version ? packageVersion() : HELP);
    return;
  }
  if (more.length > 0 || (folder !== undefined && command !== 'init')) {
    throw new Error(`'${more[0] ?? folder}' is one word too many; see a2a-temporal --help`);
  }

  // An option on the command line stands for its variable.
  const env = {
    ...process.env,
    ...(values.agents !== undefined && { AGENTS_DIR: values.agents }),
    ...(values.port !== undefined && { PORT: values.port }),
  };
  switch (command) {
    case 'start': {
      const settings = readSettings(env);
      const start = () => startServer({ settings, env, report: print });
      return runUntilSignal(start, (server) => print(greeting(server, settings)), print);
    }
    case 'api':
      return runUntilSignal(() => startApiProcess(readSettings(env)), nothing, complain);
    case 'worker':
      return runUntilSignal(() => startWorkerProcess(readSettings(env)), nothing, complain);
    case 'init':
      return init(folder ?? '.');
    default:
      throw new Error(`There is no command '${command}'; see a2a-temporal --help`);
  }
}

async function init(path: string): Promise<void> {
  const { folder, written, kept } = await initProject(path);
  for (const file of written) print(`  wrote  ${file}`);
  for (const file of kept) print(`  kept   ${file}`);
  const there = relative(process.cwd(), folder);
  print(`\nNext:${there === '' ? '' : ` cd ${there} &&`} npm install && npm test && npm start`);
}

function print(line: string): void {
  console.log(line);
}

/** Logs own stdout in a process that a machine looks after. */
function complain(line: string): void {
  console.error(line);
}

/** What went wrong, and why, where that is not in the message already. */
function reasonsOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [String(error)];
  const causes = error.cause === undefined ? [] : reasonsOf(error.cause);
  return [error.message, ...causes.filter((cause) => !error.message.includes(cause))];
}

function nothing(): void {
  // Its log says that it runs.
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  complain(reasonsOf(error).join(': '));
  process.exit(1);
}

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Program } from './programs.js';
import type { Report } from './report.js';

/** Longer than the slowest conversation on a busy machine. */
const PATIENCE = 5 * 60_000;

export interface Talk {
  /** Where the agent's card is. */
  url: string;
  version: '1.0' | '0.3';
  binding: 'JSONRPC' | 'HTTP+JSON' | 'GRPC';
  /** Takes notifications. */
  webhook: string;
}

/** Runs a client's program through the whole conversation. */
export async function converse([command, ...args]: Program, talk: Talk): Promise<Report> {
  const options = Object.entries(talk).flatMap(([name, value]) => [`--${name}`, value]);
  const { stdout } = await promisify(execFile)(command, [...args, ...options], {
    timeout: PATIENCE,
    maxBuffer: 64 * 1024 * 1024,
    env: withoutProxy(process.env),
  });
  return JSON.parse(stdout) as Report;
}

/** All that it calls is on this machine, where no proxy leads. */
function withoutProxy(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/_proxy$/i.test(name)));
}

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Receiver } from '../support/receiver.js';
import type { Program } from './programs.js';
import type { Report } from './report.js';

/** Longer than the slowest conversation on a busy machine. */
const PATIENCE = 5 * 60_000;

export interface Talk {
  version: '1.0' | '0.3';
  binding: 'JSONRPC' | 'HTTP+JSON' | 'GRPC';
}

/** Where a version's card is. */
const CARDS: Record<Talk['version'], string> = { '1.0': '', '0.3': '/a2a/v0.3' };

/** What came of it. */
export interface Conversation {
  report: Report;
  /** Got the notifications; to be closed. */
  receiver: Receiver;
}

/** Runs a client's program through the whole conversation with the agent at this address. */
export async function converse(
  [command, ...args]: Program,
  url: string,
  { version, binding }: Talk,
): Promise<Conversation> {
  const receiver = await Receiver.start();
  const options = { url: `${url}${CARDS[version]}`, version, binding, webhook: receiver.url };
  const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  try {
    const { stdout } = await promisify(execFile)(command, [...args, ...words], {
      timeout: PATIENCE,
      maxBuffer: 64 * 1024 * 1024,
      env: withoutProxy(process.env),
    });
    return { report: JSON.parse(stdout) as Report, receiver };
  } catch (error) {
    receiver.close();
    throw error;
  }
}

/** All that it calls is on this machine, where no proxy leads. */
function withoutProxy(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/_proxy$/i.test(name)));
}

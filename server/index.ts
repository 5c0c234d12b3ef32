/** The server as a library: what the `a2a-temporal` command is made of. */
export { startApiProcess, startWorkerProcess } from './apart.js';
export type { Running } from './closing.js';
export { readSettings, type Settings } from './settings.js';
export { startServer, type StartedServer, type StartOptions } from './start.js';

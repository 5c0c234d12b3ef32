import { pino, type DestinationStream, type Logger } from 'pino';
import { CappedLog } from './capped-log.js';

const FILE_BYTES = 20 * 1024 * 1024;

/** Never written, wherever they turn up in a logged object. */
const SECRETS = ['apiKey', 'authorization', 'password', 'token', 'credentials', 'cookie'];

export interface LogOptions {
  level: string;
  /**
   * Where lines go; kept below 40 MB in two files. Warnings and worse go to stderr as well. Without it
   * every line goes to stdout, as a container's log does.
   */
  file?: string;
}

/** Structured logs, one JSON object a line, secrets left out. */
export async function createLog({ level, file }: LogOptions): Promise<Logger> {
  const paths = SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`, `*.*.*.${name}`]);
  const options = { level, redact: { paths, censor: '[redacted]' } };
  if (file === undefined) return pino(options);
  const capped = await CappedLog.open(file, FILE_BYTES);
  const stream: DestinationStream = { write: (line) => capped.write(Buffer.from(line)) };
  return pino(
    options,
    pino.multistream([
      { level: 'trace', stream },
      { level: 'warn', stream: process.stderr },
    ]),
  );
}

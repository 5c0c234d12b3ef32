import {
  makeTelemetryFilterString,
  Runtime,
  type LogLevel,
  type Logger as TemporalLogger,
} from '@temporalio/worker';
import type { Logger } from 'pino';

let installed = false;

/**
 * Sets the SDK's process-wide runtime up: its logs go into ours, and signals are left to the server, which
 * knows in which order to stop. Before the process's first connection; what comes second changes nothing.
 */
export function installRuntime(log: Logger): void {
  if (installed) return;
  installed = true;
  Runtime.install({
    logger: temporalLogger(log),
    shutdownSignals: [],
    telemetryOptions: {
      logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }), forward: {} },
    },
  });
}

const PINO_LEVEL: Record<LogLevel, 'trace' | 'debug' | 'info' | 'warn' | 'error'> = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
};

/** The SDK's logger interface over pino. A workflow's lines carry its id as `taskId`. */
export function temporalLogger(log: Logger): TemporalLogger {
  const write = (level: LogLevel, message: string, meta: Record<string | symbol, unknown> = {}): void => {
    const { workflowId, error, ...fields } = meta as Record<string, unknown>;
    log[PINO_LEVEL[level]](
      {
        ...fields,
        ...(workflowId !== undefined && { taskId: workflowId }),
        ...(error !== undefined && { err: error }),
      },
      message,
    );
  };
  return {
    log: write,
    trace: (message, meta) => write('TRACE', message, meta),
    debug: (message, meta) => write('DEBUG', message, meta),
    info: (message, meta) => write('INFO', message, meta),
    warn: (message, meta) => write('WARN', message, meta),
    error: (message, meta) => write('ERROR', message, meta),
  };
}

import type { Request, Response } from 'express';
import type { Journal } from '../core/journal.js';
import { sendJson } from './respond.js';

export interface HealthDeps {
  journal: Pick<Journal, 'ping'>;
  /** Whether Temporal can be reached. */
  temporalReady: () => boolean | Promise<boolean>;
  draining: () => boolean;
}

const CHECK_MS = 1_000;

/** The process is alive. */
export function healthHandler(_: Request, response: Response): void {
  sendJson(response, '{"status":"ok"}');
}

/** What can be used now. `ready`: traffic should come here. */
export type Readiness = () => Promise<{ ready: boolean; status: string; journal: string; temporal: string }>;

/**
 * Whether traffic should come here. The journal decides: without Temporal reads work and sends are
 * accepted for later (F05), so that is reported and takes no process out of service.
 */
export function createReadiness({ journal, temporalReady, draining }: HealthDeps): Readiness {
  return async () => {
    const [journalUp, temporalUp] = await Promise.all([
      within(CHECK_MS, async () => {
        await journal.ping();
        return true;
      }),
      within(CHECK_MS, async () => temporalReady()),
    ]);
    return {
      ready: journalUp && !draining(),
      status: draining() ? 'draining' : !journalUp ? 'unavailable' : temporalUp ? 'ready' : 'degraded',
      journal: journalUp ? 'ok' : 'unreachable',
      temporal: temporalUp ? 'ok' : 'unreachable',
    };
  };
}

export function readinessHandler(readiness: Readiness) {
  return async (_: Request, response: Response): Promise<void> => {
    const { ready, ...body } = await readiness();
    sendJson(response, JSON.stringify(body), { status: ready ? 200 : 503 });
  };
}

/** False where the check fails, says no, or takes too long. */
async function within(ms: number, check: () => Promise<boolean>): Promise<boolean> {
  let timeout: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timeout = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([check().catch(() => false), late]);
  } finally {
    clearTimeout(timeout);
  }
}

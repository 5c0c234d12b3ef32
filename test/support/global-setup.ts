import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { findTemporal } from '../../server/temporal-binary.js';
import { startTemporal } from '../../server/temporal-process.js';

/** One tuned Temporal server for the whole test run; `temporalAddress` is injected into every test file. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const source = await findTemporal({ env: process.env, report: (line) => console.error(line) });
  if (source.kind === 'address') {
    project.provide('temporalAddress', source.address);
    return undefined;
  }
  const folder = await mkdtemp(join(tmpdir(), 'a2a-temporal-test-'));
  const temporal = await startTemporal({
    binary: source.path,
    databaseFile: join(folder, 'temporal.db'),
    port: 0,
    uiPort: false,
    logFile: join(folder, 'temporal.log'),
  });
  project.provide('temporalAddress', temporal.address);
  return async () => {
    await temporal.close();
    await rm(folder, { recursive: true, force: true });
  };
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** `host:port` of the run's Temporal server, namespace `default`. */
    temporalAddress: string;
  }
}

import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { NativeConnection } from '@temporalio/worker';
import { Client } from '@temporalio/client';
import { expect, inject } from 'vitest';

export interface TestTemporal {
  connection: NativeConnection;
  client: Client;
  /** `host:port`. */
  address: string;
  /** Unique, so that test files share one server and never meet. */
  taskQueue: string;
  close(): Promise<void>;
}

/** A connection to the run's Temporal server (test/support/global-setup.ts) and a task queue of its own. */
export async function connectToTestTemporal(): Promise<TestTemporal> {
  const address = inject('temporalAddress');
  const connection = await NativeConnection.connect({ address });
  return {
    connection,
    client: new Client({ connection }),
    address,
    taskQueue: `${basename(expect.getState().testPath ?? 'test', '.test.ts')}-${randomUUID()}`,
    close: () => connection.close(),
  };
}

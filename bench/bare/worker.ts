import { fileURLToPath } from 'node:url';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { serve } from '../serve.js';
import * as activities from './activities.js';

const [address = '', taskQueue = ''] = process.argv.slice(2);
Runtime.install({ logger: new DefaultLogger('ERROR') });
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue,
  workflowsPath: fileURLToPath(new URL('./workflow.ts', import.meta.url)),
  activities,
  // As the product's worker has them.
  maxConcurrentWorkflowTaskExecutions: 200,
  maxCachedWorkflows: 200,
});
void worker.run();
serve({});

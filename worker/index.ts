export { loadAgents, ownActivitiesOf, type AgentFile } from './agents.js';
export { bundleWorkflows } from './bundle.js';
export { installRuntime, temporalLogger } from './runtime.js';
export { startTaskWorker, type TaskWorker, type TaskWorkerOptions } from './worker.js';

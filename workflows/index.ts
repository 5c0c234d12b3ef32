/** Everything the worker bundles; the exported functions are the workflow types. */
export { registerAgents } from './agents.js';
export { taskWorkflow } from './task-workflow.js';
export { reconcileWorkflow } from './reconcile.js';
export { pushWorkflow } from './push.js';

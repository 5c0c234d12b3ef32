import express from 'express';
import { callerOf } from './authentication.js';
import { agentOf, identify, queryOf, type BindingDeps } from './binding.js';
import { factsOf } from './request-log.js';
import { sendJson } from './respond.js';
import type { TaskService } from './tasks/task-service.js';

/** The /v2/agentic surface: for now the address of a single artifact (A18). */
export function agenticRouter(deps: BindingDeps, service: TaskService): express.Router {
  const router = express.Router({ mergeParams: true });
  router.get('/contexts/:contextId/tasks/:taskId/artifacts/:artifactId', async (request, response) => {
    const { contextId, taskId, artifactId } = request.params;
    const identity = await identify(deps, { headers: request.headers, facts: factsOf(response) });
    const agent = agentOf(deps, request);
    Object.assign(factsOf(response), { operation: 'GetArtifact', agent: agent.code, taskId });
    const caller = callerOf(identity, queryOf(request).get('tenant') ?? '');
    const call = { agent, caller, signal: new AbortController().signal };
    const artifact = await service.getArtifact(call, { contextId, taskId, artifactId });
    sendJson(response, JSON.stringify(artifact));
  });
  return router;
}

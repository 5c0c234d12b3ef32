import express, { type Request } from 'express';
import { invalidParams } from '../core/errors.js';
import { callerOf } from './authentication.js';
import { activate, agentOf, checkHeaders, identify, queryOf, type BindingDeps } from './binding.js';
import { factsOf } from './request-log.js';
import { sendJson } from './respond.js';
import { AGENTIC_TABLES } from './rest-routes.js';
import { restHandler } from './rest.js';
import type { TaskService } from './tasks/task-service.js';

/** The /v2/agentic surface (D05): the operations of HTTP+JSON, and the address of a single artifact (A18). */
export function agenticRouter(deps: BindingDeps, service: TaskService): express.Router {
  const router = express.Router({ mergeParams: true });
  const artifact = '/contexts/:contextId/tasks/:taskId/artifacts/:artifactId';
  router.get([artifact, `/:tenant${artifact}`], async (request, response) => {
    const { contextId = '', taskId = '', artifactId = '' } = request.params as Record<string, string>;
    const identity = await identify(deps, { headers: request.headers, facts: factsOf(response) });
    checkHeaders(deps, 'agentic', request);
    const agent = agentOf(deps, request);
    Object.assign(factsOf(response), { operation: 'GetArtifact', agent: agent.code, taskId });
    const announce = (name: string, value: string) => void response.setHeader(name, value);
    activate({ headers: request.headers, announce }, 'agentic', agent);
    const caller = callerOf(identity, tenantOf(request));
    const call = { agent, caller, signal: new AbortController().signal };
    const found = await service.getArtifact(call, { contextId, taskId, artifactId });
    sendJson(response, JSON.stringify(found));
  });
  router.use(restHandler(deps, AGENTIC_TABLES));
  return router;
}

/** From the path or the query; where both name one they have to agree. */
function tenantOf(request: Request): string {
  const { tenant: inPath } = request.params;
  const inQuery = queryOf(request).get('tenant') ?? '';
  if (inPath === undefined) return inQuery;
  if (inQuery !== '' && inQuery !== inPath) throw invalidParams('tenant', 'differs from the path');
  return String(inPath);
}

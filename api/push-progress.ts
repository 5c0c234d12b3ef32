import express from 'express';
import { deliveryId, type PushProgress } from '../core/push.js';
import { callerOf } from './authentication.js';
import { agentOf, identify, queryOf, type BindingDeps } from './binding.js';
import { factsOf } from './request-log.js';
import { sendJson } from './respond.js';
import type { TaskService } from './tasks/task-service.js';

const DELIVERY = '/tasks/:taskId/pushNotificationConfigs/:configId/delivery';

/** How a webhook's deliveries stand: no operation of A2A, so it has an address of its own beside the config's. */
export function pushProgressRouter(deps: BindingDeps, service: TaskService): express.Router {
  const router = express.Router({ mergeParams: true });
  router.get([DELIVERY, `/:tenant${DELIVERY}`], async (request, response) => {
    const { taskId = '', configId = '', tenant } = request.params as Record<string, string>;
    const identity = await identify(deps, { headers: request.headers, facts: factsOf(response) });
    const agent = agentOf(deps, request);
    Object.assign(factsOf(response), { operation: 'GetPushDelivery', agent: agent.code, taskId });
    // `v1` there is another dialect's address, and no tenant.
    const named = tenant === undefined || tenant === 'v1' ? queryOf(request).get('tenant') : tenant;
    const call = { agent, caller: callerOf(identity, named ?? ''), signal: new AbortController().signal };
    const progress = await service.push.progress(call, { taskId, id: configId });
    sendJson(response, JSON.stringify(shown(progress)));
  });
  return router;
}

function shown({ pushId, configId, state, deliveredSeq, attempts, ...progress }: PushProgress) {
  const { lastError, lastAttemptAt, nextAttemptAt, undelivered } = progress;
  return {
    configId,
    state,
    deliveredSeq,
    attempts,
    lastError,
    lastAttemptAt: iso(lastAttemptAt),
    nextAttemptAt: iso(nextAttemptAt),
    undelivered: undelivered.map(({ seq, event }) => ({ webhookId: deliveryId(pushId, seq), seq, ...event })),
  };
}

function iso(millis: number | undefined): string | undefined {
  return millis === undefined ? undefined : new Date(millis).toISOString();
}

import { randomUUID } from 'node:crypto';
import { A2AError, invalidParams, taskNotFound } from '../../core/errors.js';
import { prefixedId } from '../../core/ids.js';
import type { Command, Journal } from '../../core/journal.js';
import { offersPush } from '../../core/offers.js';
import type {
  NewPushConfig,
  PushConfig,
  PushProgress,
  PushRegistration,
  WebhookGuard,
} from '../../core/push.js';
import type {
  CreatePushConfigRequest,
  DeletePushConfigRequest,
  GetPushConfigRequest,
  ListPushConfigsRequest,
  PushConfigList,
} from '../../wire/requests.js';
import { scopeOf, type Call } from './call.js';

export interface PushDeps {
  journal: Journal;
  deliver: (commands: Command[]) => void;
  guard: WebhookGuard;
  clock: () => number;
}

/** The operations on push notification configs (section 3.1.7 to 3.1.10), and the state of deliveries. */
export interface PushService {
  create(call: Call, request: CreatePushConfigRequest): Promise<PushConfig>;
  get(call: Call, request: GetPushConfigRequest): Promise<PushConfig>;
  list(call: Call, request: ListPushConfigsRequest): Promise<PushConfigList>;
  delete(call: Call, request: DeletePushConfigRequest): Promise<void>;
  progress(call: Call, request: { taskId: string; id: string }): Promise<PushProgress>;
}

/** No task has more, so that one page holds them all. */
const PAGE_SIZE = 100;
/** Undelivered events that are shown. */
const UNDELIVERED = 100;

export function createPushService(deps: PushDeps): PushService {
  const { journal, deliver } = deps;

  /** Capabilities that the card does not declare answer with their own error (section 3.3.4). */
  function begin(call: Call, taskId: string): void {
    checkOffered(call);
    call.taskId = taskId;
  }

  return {
    async create(call, { taskId, config }) {
      begin(call, taskId);
      // Before the guard asks a name server on the caller's behalf.
      const task = await journal.read(scopeOf(call), taskId, { historyLength: 0, artifacts: false });
      if (task === undefined) throw taskNotFound(taskId);
      const registration = await checkedRegistration(deps, call, config);
      const created = await journal.putPushConfig(scopeOf(call), taskId, registration);
      deliver(created.commands);
      return created.config;
    },

    async get(call, { taskId, id }) {
      begin(call, taskId);
      const config = await journal.readPushConfig(scopeOf(call), taskId, id);
      if (config === undefined) throw configNotFound(taskId);
      return config;
    },

    list(call, { taskId, pageSize, pageToken }) {
      begin(call, taskId);
      return journal.listPushConfigs(scopeOf(call), taskId, {
        // Zero is how protobuf says nothing.
        size: pageSize === undefined || pageSize === 0 ? PAGE_SIZE : pageSize,
        ...(pageToken !== undefined && { token: pageToken }),
      });
    },

    async delete(call, { taskId, id }) {
      begin(call, taskId);
      deliver(await journal.deletePushConfig(scopeOf(call), taskId, id));
    },

    async progress(call, { taskId, id }) {
      begin(call, taskId);
      const progress = await journal.readPushProgress(scopeOf(call), taskId, id, UNDELIVERED);
      if (progress === undefined) throw configNotFound(taskId);
      return progress;
    },
  };
}

const MAX_URL = 2_048;
const MAX_SECRET = 4_096;
/** RFC 9110: a token. */
const SCHEME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;
/** What stays one header, as it is, on every server (X29). */
const HEADER_VALUE = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;

/** The config as it may be recorded. `path` is where it stood in the request. Throws INVALID_PARAMS. */
export async function checkedRegistration(
  { guard, clock }: Pick<PushDeps, 'guard' | 'clock'>,
  call: Call,
  config: NewPushConfig,
  path = '',
): Promise<PushRegistration> {
  checkOffered(call);
  const { url, token, authentication } = config;
  const { scheme, credentials } = authentication ?? {};
  if (url.length > MAX_URL) throw invalidParams(`${path}url`, `must have at most ${MAX_URL} characters`);
  if (scheme !== undefined && !SCHEME.test(scheme)) {
    throw invalidParams(`${path}authentication.scheme`, 'must be the name of an HTTP authentication scheme');
  }
  for (const [name, value] of [
    ['token', token],
    ['authentication.credentials', credentials],
  ] as const) {
    if (value === undefined || (value.length <= MAX_SECRET && HEADER_VALUE.test(value))) continue;
    throw invalidParams(
      path + name,
      `must fit a header: at most ${MAX_SECRET} printable ASCII characters, no blank at either end`,
    );
  }
  const refusal = await guard.refusal(url);
  if (refusal !== undefined) throw invalidParams(`${path}url`, refusal);
  const { id = prefixedId('push', clock(), randomUUID()) } = config;
  return { ...config, id, dialect: call.dialect ?? 'v1' };
}

function checkOffered({ agent }: Call): void {
  if (offersPush(agent)) return;
  throw new A2AError('PUSH_NOTIFICATION_NOT_SUPPORTED', 'This agent sends no push notifications');
}

/** Section 3.1.8 knows no other error for it. */
function configNotFound(taskId: string): A2AError {
  return new A2AError('TASK_NOT_FOUND', 'The task or its push notification config does not exist', {
    metadata: { taskId },
  });
}

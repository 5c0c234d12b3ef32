import { z } from 'zod';
import type { NewPushConfig } from '../../core/push.js';
import type { Message } from '../../core/task.js';
import type { DecodeLimits } from '../codec.js';
import type { RequestSchemas } from '../decoder.js';
import { compact, freeForm, name, optionalName } from '../fields.js';
import { bool, int32, list, message, optionalString, requiredString, string } from '../protojson.js';

/**
 * The requests of A2A 0.3 (section 7), turned into the core model. JSON-RPC and HTTP+JSON spell messages
 * and a few fields differently; what they have in common is here. Like 1.0 it takes snake_case names and
 * null for an absent field, and passes unknown fields over.
 */

/** What one binding spells in its own way. */
export interface Spelling {
  /** The whole message of a send. */
  message: z.ZodType<Message>;
  /** Names of the send's fields in the proto, where it gives them another in JSON. */
  protoNames?: Readonly<Record<string, string>>;
  /** The push configuration of a send, under this name in its configuration. */
  pushField: 'pushNotificationConfig' | 'pushNotification';
  /** What a configuration without `blocking` means. */
  blocking: boolean;
  /** `tasks/pushNotificationConfig/set`. */
  createPushConfig: z.ZodType;
}

export function requestSchemas(limits: DecodeLimits, spelling: Spelling) {
  const { struct } = freeForm(limits);
  const tenant = optionalName();
  const historyLength = int32({ min: 0 }).optional();
  const { pushField } = spelling;

  const shape = {
    tenant,
    message: spelling.message,
    configuration: message({
      acceptedOutputModes: list(string()).optional(),
      [pushField]: pushConfig().optional(),
      historyLength,
      blocking: bool().optional(),
    }).optional(),
    metadata: struct().optional(),
  };
  const send = message(shape, [], spelling.protoNames).transform(
    ({ tenant, message, configuration, metadata }) => {
      const push = configuration?.[pushField] as NewPushConfig | undefined;
      const blocking = configuration === undefined || (configuration.blocking ?? spelling.blocking);
      return {
        ...compact({ tenant, push }),
        message,
        options: compact({
          acceptedOutputModes: configuration?.acceptedOutputModes,
          historyLength: configuration?.historyLength,
          metadata,
        }),
        returnImmediately: !blocking,
      };
    },
  );

  return {
    SendMessage: send,
    SendStreamingMessage: send,
    GetTask: message({ tenant, id: requiredString(), historyLength }).transform(compact),
    ListTasks: message({
      tenant,
      contextId: optionalString(),
      pageSize: int32({ min: 1, max: 100 }).optional(),
      pageToken: optionalString(),
      historyLength,
    }).transform(({ pageSize = 50, ...filter }) => ({
      ...compact(filter),
      pageSize,
      includeArtifacts: true,
    })),
    CancelTask: message({ tenant, id: requiredString(), metadata: struct().optional() }).transform(
      (fields) => ({ ...compact(fields), repeatable: true }),
    ),
    SubscribeToTask: message({ tenant, id: requiredString() }).transform(compact),
    CreateTaskPushNotificationConfig: spelling.createPushConfig,
    GetTaskPushNotificationConfig: message({
      tenant,
      id: requiredString(),
      pushNotificationConfigId: optionalString(),
    }).transform(ofTask),
    ListTaskPushNotificationConfigs: message({
      tenant,
      id: requiredString(),
      pageSize: int32({ min: 0, max: 100 }).optional(),
      pageToken: optionalString(),
    }).transform(({ id, ...page }) => compact({ ...page, taskId: id })),
    DeleteTaskPushNotificationConfig: message({
      tenant,
      id: requiredString(),
      pushNotificationConfigId: requiredString(),
    }).transform(ofTask),
    GetExtendedAgentCard: message({ tenant }).transform(compact),
  } satisfies RequestSchemas;
}

/** Here `id` is the task's. */
function ofTask(fields: {
  tenant?: string | undefined;
  id: string;
  pushNotificationConfigId?: string | undefined;
}) {
  return compact({ tenant: fields.tenant, taskId: fields.id, id: fields.pushNotificationConfigId });
}

/** Of several authentication schemes the first is meant: a delivery has one Authorization header. */
export function pushConfig() {
  return message({
    id: optionalName(),
    url: requiredString(),
    token: optionalString(),
    authentication: message({
      schemes: list(requiredString()).optional(),
      credentials: optionalString(),
    })
      .transform(({ schemes: [scheme] = [], credentials }, context) => {
        if (scheme !== undefined) return compact({ scheme, credentials });
        if (credentials === undefined) return undefined;
        context.addIssue({ code: 'custom', path: ['schemes'], message: 'must name a scheme' });
        return z.NEVER;
      })
      .optional(),
  }).transform((config): NewPushConfig => compact(config));
}

/** The fields of a message that both bindings spell alike. */
export function messageFields(limits: DecodeLimits) {
  return {
    messageId: name().min(1, { error: 'is required' }),
    contextId: optionalName(),
    taskId: optionalString(),
    metadata: freeForm(limits).struct().optional(),
    extensions: list(string()).optional(),
  };
}

/** 1 to as many parts as a message may have. */
export function parts<T extends z.ZodType>(part: T, limits: DecodeLimits) {
  return list(part)
    .min(1, { error: 'must have at least one part' })
    .max(limits.parts, { error: `must have at most ${limits.parts} parts` });
}

import { z } from 'zod';
import type { NewPushConfig } from '../../core/push.js';
import { TASK_STATES, type Message, type Part } from '../../core/task.js';
import type { DecodeLimits } from '../codec.js';
import type { RequestSchemas } from '../decoder.js';
import { compact, freeForm, name, optionalName } from '../fields.js';
import {
  bool,
  bytes,
  enumeration,
  int32,
  list,
  message,
  optionalString,
  requiredString,
  string,
  timestamp,
} from '../protojson.js';

/**
 * The request messages of a2a.proto (specification sections 3.1, 3.2 and 4.1), read by ProtoJSON's
 * rules and turned into the core model.
 */

/** Number 0 first, in the order of a2a.proto. */
const STATE_NAMES = ['TASK_STATE_UNSPECIFIED', ...TASK_STATES] as const;

const CONTENT = ['text', 'raw', 'url', 'data'] as const;

export function requestSchemas(limits: DecodeLimits) {
  const { struct, value } = freeForm(limits);

  const part = message(
    {
      text: string().optional(),
      raw: bytes().optional(),
      url: string().min(1, { error: 'must not be empty' }).optional(),
      data: value().optional(),
      metadata: struct().optional(),
      filename: optionalString(),
      mediaType: optionalString(),
    },
    ['data'],
  ).transform((fields, context): Part => {
    const [content, another] = CONTENT.filter((kind) => fields[kind] !== undefined);
    if (content === undefined || another !== undefined) {
      context.addIssue({ code: 'custom', message: `must have exactly one of ${CONTENT.join(', ')}` });
      return z.NEVER;
    }
    return compact({
      [content]: fields[content],
      metadata: fields.metadata,
      filename: fields.filename,
      mediaType: fields.mediaType,
    }) as unknown as Part;
  });

  const userMessage = message({
    messageId: name().min(1, { error: 'is required' }),
    contextId: optionalName(),
    taskId: optionalString(),
    role: enumeration(['ROLE_UNSPECIFIED', 'ROLE_USER', 'ROLE_AGENT']).refine(
      (role) => role === 'ROLE_USER',
      {
        error: 'must be ROLE_USER in a message to an agent',
      },
    ),
    parts: list(part)
      .min(1, { error: 'must have at least one part' })
      .max(limits.parts, { error: `must have at most ${limits.parts} parts` }),
    metadata: struct().optional(),
    extensions: list(string()).optional(),
    referenceTaskIds: list(requiredString())
      .max(limits.parts, { error: `must have at most ${limits.parts} entries` })
      .optional(),
  }).transform(({ extensions, referenceTaskIds, ...fields }) => {
    const core = compact({ ...fields, role: 'ROLE_USER' as const }) as Message;
    if (extensions !== undefined && extensions.length > 0) core.extensions = extensions;
    if (referenceTaskIds !== undefined && referenceTaskIds.length > 0)
      core.referenceTaskIds = referenceTaskIds;
    return core;
  });

  const historyLength = int32({ min: 0 }).optional();
  const tenant = optionalName();

  const pushConfigFields = {
    url: requiredString(),
    id: optionalName(),
    token: optionalString(),
    authentication: message({ scheme: requiredString(), credentials: optionalString() }).optional(),
  };
  const pushConfig = message({ ...pushConfigFields, taskId: optionalString() });

  const send = message({
    tenant,
    message: userMessage,
    configuration: message({
      acceptedOutputModes: list(string()).optional(),
      taskPushNotificationConfig: pushConfig.optional(),
      historyLength,
      returnImmediately: bool().optional(),
    }).optional(),
    metadata: struct().optional(),
  }).transform(({ tenant, message, configuration, metadata }) => ({
    ...(tenant !== undefined && { tenant }),
    message,
    options: compact({
      acceptedOutputModes: configuration?.acceptedOutputModes,
      historyLength: configuration?.historyLength,
      metadata,
    }),
    returnImmediately: configuration?.returnImmediately ?? false,
    ...(configuration?.taskPushNotificationConfig !== undefined && {
      push: newPushConfig(configuration.taskPushNotificationConfig),
    }),
  }));

  const onePushConfig = message({ tenant, taskId: requiredString(), id: requiredString() }).transform(
    compact,
  );

  return {
    SendMessage: send,
    SendStreamingMessage: send,
    GetTask: message({ tenant, id: requiredString(), historyLength }).transform(compact),
    ListTasks: message({
      tenant,
      contextId: optionalString(),
      status: enumeration(STATE_NAMES)
        .transform((state) => (state === 'TASK_STATE_UNSPECIFIED' ? undefined : state))
        .optional(),
      pageSize: int32({ min: 1, max: 100 }).optional(),
      pageToken: optionalString(),
      historyLength,
      statusTimestampAfter: timestamp().optional(),
      includeArtifacts: bool().optional(),
    }).transform(({ pageSize = 50, includeArtifacts = false, ...filter }) => ({
      ...compact(filter),
      pageSize,
      includeArtifacts,
    })),
    CancelTask: message({ tenant, id: requiredString(), metadata: struct().optional() }).transform(compact),
    SubscribeToTask: message({ tenant, id: requiredString() }).transform(compact),
    CreateTaskPushNotificationConfig: message({
      tenant,
      ...pushConfigFields,
      taskId: requiredString(),
    }).transform(({ tenant, taskId, ...config }) => ({
      ...compact({ tenant }),
      taskId,
      config: newPushConfig(config),
    })),
    GetTaskPushNotificationConfig: onePushConfig,
    ListTaskPushNotificationConfigs: message({
      tenant,
      taskId: requiredString(),
      pageSize: int32({ min: 0, max: 100 }).optional(),
      pageToken: optionalString(),
    }).transform(compact),
    DeleteTaskPushNotificationConfig: onePushConfig,
    GetExtendedAgentCard: message({ tenant }).transform(compact),
  } satisfies RequestSchemas;
}

interface GivenPushConfig {
  url: string;
  id?: string | undefined;
  token?: string | undefined;
  authentication?: { scheme: string; credentials?: string | undefined } | undefined;
}

/** Of a config for a send, its task's id is not looked at: the send says which task it is. */
function newPushConfig({ url, id, token, authentication }: GivenPushConfig): NewPushConfig {
  return compact({ url, id, token, authentication: authentication && compact(authentication) });
}

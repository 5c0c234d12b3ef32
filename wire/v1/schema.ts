import { z } from 'zod';
import type { NewPushConfig } from '../../core/push.js';
import { TASK_STATES, type Json, type Message, type Metadata, type Part } from '../../core/task.js';
import type { DecodeLimits } from '../codec.js';
import type { Operation } from '../requests.js';
import { refusalOf } from './nesting.js';
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
} from './protojson.js';

/**
 * The request messages of a2a.proto (specification sections 3.1, 3.2 and 4.1), read by ProtoJSON's
 * rules and turned into the core model.
 */

const MAX_ID_LENGTH = 256;
// Controls would break headers and logs; a lone surrogate is not Unicode and would not survive UTF-8.
const UNACCEPTABLE = /[\p{Cc}\p{Surrogate}]/u;

/**
 * A name chosen by the client that the server keeps: contextId, messageId, tenant. 1 to 256 characters
 * (UTF-16 units), well-formed Unicode, no control characters. Anything else is refused, never changed
 * (section 3.4.1).
 */
const name = () =>
  string()
    .max(MAX_ID_LENGTH, { error: `must have at most ${MAX_ID_LENGTH} characters` })
    .refine((value) => !UNACCEPTABLE.test(value), {
      error: 'must be Unicode text without control characters',
    });

const optionalName = () =>
  name()
    .transform((value) => (value === '' ? undefined : value))
    .optional();

/** Number 0 first, in the order of a2a.proto. */
const STATE_NAMES = ['TASK_STATE_UNSPECIFIED', ...TASK_STATES] as const;

const CONTENT = ['text', 'raw', 'url', 'data'] as const;

export type RequestSchemas = Record<Operation, z.ZodType>;

export function requestSchemas(limits: DecodeLimits) {
  const struct = () =>
    z
      .custom<Metadata>((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
        error: 'must be an object',
        abort: true,
      })
      .superRefine(refuseDeep);
  const value = () => z.custom<Json>(() => true).superRefine(refuseDeep);

  function refuseDeep(json: unknown, context: z.RefinementCtx) {
    const refusal = refusalOf(json, limits.depth);
    if (refusal !== undefined) context.addIssue({ code: 'custom', message: refusal });
  }

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

/** Without the keys whose value is undefined. */
function compact<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> };
}

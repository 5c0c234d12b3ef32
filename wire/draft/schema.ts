import { z } from 'zod';
import type { Message, Part } from '../../core/task.js';
import type { DecodeLimits } from '../codec.js';
import type { RequestSchemas } from '../decoder.js';
import { compact, freeForm, name, optionalName } from '../fields.js';
import { int32, list, message, optionalString, requiredString, string } from '../protojson.js';
import { file } from '../v03/message.js';
import { parts, pushConfig } from '../v03/schema.js';

/**
 * The requests of the drafts of spring 2025 (`tasks/send`). A task's id and its session are the client's to
 * choose; a message has no id. History comes only with an answer whose request asked for it.
 */

/** A task has one push configuration in the drafts, so setting it again replaces it. */
const PUSH_CONFIG_ID = 'draft';

export function requestSchemas(limits: DecodeLimits) {
  const { struct } = freeForm(limits);
  const tenant = optionalName();
  const historyLength = int32({ min: 0 }).optional();
  const taskId = requiredString();
  const push = pushConfig().transform((config) => ({ ...config, id: PUSH_CONFIG_ID }));

  const send = message({
    tenant,
    id: name().min(1, { error: 'is required' }),
    sessionId: optionalName(),
    message: userMessage(limits),
    acceptedOutputModes: list(string()).optional(),
    pushNotification: push.optional(),
    historyLength,
    metadata: struct().optional(),
  }).transform(({ tenant, id, sessionId, message, pushNotification, historyLength = 0, ...options }) => ({
    ...compact({ tenant, push: pushNotification }),
    message: { ...message, ...compact({ contextId: sessionId }) },
    options: compact(options),
    returnImmediately: false,
    continues: { kind: 'alias' as const, alias: id },
    asTask: true,
    shownHistory: historyLength,
  }));

  const unspoken = z.never({ error: 'is no operation of the drafts' });
  return {
    SendMessage: send,
    SendStreamingMessage: send,
    GetTask: message({ tenant, id: taskId, historyLength }).transform(({ historyLength = 0, ...fields }) => ({
      ...compact(fields),
      historyLength,
    })),
    CancelTask: message({ tenant, id: taskId, metadata: struct().optional() }).transform((fields) => ({
      ...compact(fields),
      repeatable: true,
    })),
    SubscribeToTask: message({ tenant, id: taskId }).transform(compact),
    CreateTaskPushNotificationConfig: message({ tenant, id: taskId, pushNotificationConfig: push }).transform(
      ({ tenant, id, pushNotificationConfig }) => ({
        ...compact({ tenant }),
        taskId: id,
        config: pushNotificationConfig,
      }),
    ),
    GetTaskPushNotificationConfig: message({ tenant, id: taskId }).transform(({ tenant, id }) => ({
      ...compact({ tenant }),
      taskId: id,
    })),
    ListTasks: unspoken,
    ListTaskPushNotificationConfigs: unspoken,
    DeleteTaskPushNotificationConfig: unspoken,
    GetExtendedAgentCard: unspoken,
  } satisfies RequestSchemas;
}

/** The messageId is left empty: the drafts have none, and making one is not for a codec. */
function userMessage(limits: DecodeLimits) {
  return message({
    role: z.literal('user', { error: 'must be user in a message to an agent' }),
    parts: parts(part(limits), limits),
    metadata: freeForm(limits).struct().optional(),
  }).transform((fields): Message => ({
    messageId: '',
    ...compact({ ...fields, role: 'ROLE_USER' as const }),
  }));
}

const TYPES = ['text', 'file', 'data'] as const;

/** `type` says which content counts. */
function part(limits: DecodeLimits): z.ZodType<Part> {
  const { struct, value } = freeForm(limits);
  return message(
    {
      type: z.enum(TYPES, { error: `must be one of ${TYPES.join(', ')}` }),
      text: string().optional(),
      file: file().optional(),
      data: value().optional(),
      mimeType: optionalString(),
      metadata: struct().optional(),
    },
    ['data'],
  ).transform(({ type, metadata, mimeType, ...content }, context): Part => {
    if (content[type] === undefined) {
      context.addIssue({ code: 'custom', path: [type], message: 'is required' });
      return z.NEVER;
    }
    if (type === 'file') return { ...content.file!, ...compact({ metadata }) };
    const common = compact({ metadata, mediaType: mimeType });
    return type === 'data' ? { data: content.data!, ...common } : { text: content.text!, ...common };
  });
}

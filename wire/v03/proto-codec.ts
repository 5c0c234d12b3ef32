import { z } from 'zod';
import type { Codec, CodecSettings } from '../codec.js';
import { decode } from '../decoder.js';
import { compact, optionalName } from '../fields.js';
import { message, requiredString } from '../protojson.js';
import { isFragment } from './codec.js';
import * as encode from './proto-encode.js';
import { userMessage } from './proto-message.js';
import { pushConfig, requestSchemas } from './schema.js';

/** A2A 0.3 in the ProtoJSON of its a2a.proto: HTTP+JSON and gRPC. */
export function createV03ProtoCodec({ legacyFragments = false, ...limits }: CodecSettings): Codec {
  const schemas = requestSchemas(limits, {
    message: userMessage(limits),
    // ProtoJSON has parsers take both names; the official Python client of 1.0 sends this one to a 0.3 server.
    protoNames: { message: 'request' },
    pushField: 'pushNotification',
    // In proto3 false and absent are the same, and clients leave a false out.
    blocking: false,
    createPushConfig: createPushConfig(),
  });

  return {
    decode: (operation, params) => decode(schemas, operation, params),
    encodeSendResult: (result) => JSON.stringify(encode.event(result)),
    encodeTask: (task) => JSON.stringify(encode.task(task)),
    // The proto has no list; the specification (section 7.3) has an array of tasks, each with its kind.
    encodeTaskList: ({ tasks }) =>
      JSON.stringify(tasks.map((task) => ({ kind: 'task', ...encode.task(task) }))),
    encodeEvent: (event, passed) =>
      !legacyFragments && isFragment(event) ? undefined : JSON.stringify(encode.event(event, passed)),
    encodePushConfig: (config) => JSON.stringify(encode.pushConfig(config)),
    encodePushConfigList: ({ configs, nextPageToken }) =>
      JSON.stringify({ configs: configs.map(encode.pushConfig), nextPageToken }),
    encodeDeleted: () => '{}',
  };
}

/**
 * The proto's HTTP rule sends the configuration as the body; the Python client and the conformance kit send
 * the whole request around it. Both are taken.
 */
function createPushConfig() {
  const config = pushConfig().optional();
  return message({
    tenant: optionalName(),
    taskId: requiredString(),
    configId: optionalName(),
    config: message({ pushNotificationConfig: config }).optional(),
    pushNotificationConfig: config,
  }).transform(({ tenant, taskId, configId, ...given }, context) => {
    const config = given.config?.pushNotificationConfig ?? given.pushNotificationConfig;
    if (config === undefined) {
      context.addIssue({ code: 'custom', path: ['pushNotificationConfig'], message: 'is required' });
      return z.NEVER;
    }
    return { ...compact({ tenant }), taskId, config: compact({ ...config, id: config.id ?? configId }) };
  });
}

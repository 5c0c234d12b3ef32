import type { NewPushConfig } from '../../core/push.js';
import type { StreamResponse } from '../../core/task.js';
import type { Codec, CodecSettings } from '../codec.js';
import { decode } from '../decoder.js';
import { compact, optionalName } from '../fields.js';
import { message, requiredString } from '../protojson.js';
import * as encode from './encode.js';
import { userMessage } from './message.js';
import { pushConfig, requestSchemas } from './schema.js';

/** A2A 0.3 as JSON-RPC spells it, and webhooks. */
export function createV03Codec({ legacyFragments = false, ...limits }: CodecSettings): Codec {
  const schemas = requestSchemas(limits, {
    message: userMessage(limits),
    pushField: 'pushNotificationConfig',
    // The schema leaves it open; the clients of the time wait unless told otherwise (X09).
    blocking: true,
    createPushConfig: message({
      tenant: optionalName(),
      taskId: requiredString(),
      pushNotificationConfig: pushConfig(),
    }).transform(({ pushNotificationConfig: config, ...fields }) => ({
      ...compact(fields),
      config: config satisfies NewPushConfig,
    })),
  });

  return {
    decode: (operation, params) => decode(schemas, operation, params),
    encodeSendResult: (result) => JSON.stringify(encode.event(result)),
    encodeTask: (task) => JSON.stringify(encode.task(task)),
    encodeTaskList: ({ tasks }) => JSON.stringify(tasks.map(encode.task)),
    encodeEvent: (event, passed) =>
      !legacyFragments && isFragment(event) ? undefined : JSON.stringify(encode.event(event, passed)),
    encodePushConfig: (config) => JSON.stringify(encode.pushConfig(config)),
    encodePushConfigList: ({ configs }) => JSON.stringify(configs.map(encode.pushConfig)),
    encodeDeleted: () => 'null',
  };
}

/** An artifact's update that does not close it: the one that does has all of it (B03). */
export function isFragment(event: StreamResponse): boolean {
  return 'artifactUpdate' in event && event.artifactUpdate.lastChunk !== true;
}

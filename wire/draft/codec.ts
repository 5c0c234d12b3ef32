import type { Codec, CodecSettings } from '../codec.js';
import { decode } from '../decoder.js';
import { isFragment } from '../v03/codec.js';
import * as encode from './encode.js';
import { requestSchemas } from './schema.js';

/**
 * The drafts of spring 2025 (D03). A task's id here is the one that its caller chose, and an artifact's its index:
 * who calls the codec brings them and gets them so.
 */
export function createDraftCodec({ legacyFragments = false, ...limits }: CodecSettings): Codec {
  const schemas = requestSchemas(limits);
  const unspoken = () => {
    throw new TypeError('the drafts have no such answer');
  };

  return {
    decode: (operation, params) => decode(schemas, operation, params),
    encodeSendResult: (result) => ('task' in result ? JSON.stringify(encode.task(result.task)) : unspoken()),
    encodeTask: (task) => JSON.stringify(encode.task(task)),
    encodeEvent(event, passed) {
      if (!legacyFragments && isFragment(event)) return undefined;
      const frame = encode.event(event, passed);
      return frame && JSON.stringify(frame);
    },
    encodePushConfig: (config) => JSON.stringify(encode.pushConfig(config)),
    encodeTaskList: unspoken,
    encodePushConfigList: unspoken,
    encodeDeleted: unspoken,
  };
}

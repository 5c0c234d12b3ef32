import type { Codec, CodecSettings } from './codec.js';
import type { DialectName } from './dialects.js';
import { createAgenticCodec } from './agentic/codec.js';
import { createDraftCodec } from './draft/codec.js';
import { createGatewayCodec } from './gateway/codec.js';
import { createV03Codec } from './v03/codec.js';
import { createV03ProtoCodec } from './v03/proto-codec.js';
import { createV1Codec } from './v1/codec.js';

/** Every dialect's codec. */
export function createCodecs(settings: CodecSettings): Record<DialectName, Codec> {
  return {
    v1: createV1Codec(settings),
    v03: createV03Codec(settings),
    'v03-proto': createV03ProtoCodec(settings),
    agentic: createAgenticCodec(settings),
    draft: createDraftCodec(settings),
    gateway: createGatewayCodec(settings),
  };
}

import type { Codec, DecodeLimits } from './codec.js';
import type { DialectName } from './dialects.js';
import { createAgenticCodec } from './agentic/codec.js';
import { createV03Codec } from './v03/codec.js';
import { createV03ProtoCodec } from './v03/proto-codec.js';
import { createV1Codec } from './v1/codec.js';

/** Every dialect's codec. */
export function createCodecs(limits: DecodeLimits): Record<DialectName, Codec> {
  return {
    v1: createV1Codec(limits),
    v03: createV03Codec(limits),
    'v03-proto': createV03ProtoCodec(limits),
    agentic: createAgenticCodec(limits),
  };
}

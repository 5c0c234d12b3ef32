import type { Codec, CodecSettings } from '../codec.js';
import { decode } from '../decoder.js';
import { compact, optionalName } from '../fields.js';
import { int32, message, requiredString } from '../protojson.js';
import type { Operation, Requests, SendRequest } from '../requests.js';
import { createV03Codec } from '../v03/codec.js';

/** The gateway (D04): 0.3 but for how a stream is resumed, and for answers that do not name their task. */
export function createGatewayCodec(settings: CodecSettings): Codec {
  const v03 = createV03Codec(settings);
  const resubscribe = message({
    tenant: optionalName(),
    taskId: requiredString(),
    afterSeq: int32({ min: 0 }).optional(),
  }).transform(({ taskId, ...fields }) => ({ ...compact(fields), id: taskId, fromStart: true }));

  return {
    ...v03,
    decode<O extends Operation>(operation: O, params: unknown): Requests[O] {
      if (operation === 'SubscribeToTask') {
        return decode({ SubscribeToTask: resubscribe }, 'SubscribeToTask', params) as Requests[O];
      }
      const request = v03.decode(operation, params);
      return isSend(operation) ? (answering(request as SendRequest) as Requests[O]) : request;
    },
  };
}

function isSend(operation: Operation): boolean {
  return operation === 'SendMessage' || operation === 'SendStreamingMessage';
}

/** A message with nothing but a context answers the question that is open there. */
function answering(request: SendRequest): SendRequest {
  const { taskId, contextId } = request.message;
  if (taskId !== undefined || contextId === undefined) return request;
  return { ...request, continues: { kind: 'question' } };
}

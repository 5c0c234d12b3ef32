import { Metadata, type handleServerStreamingCall, type ServerWritableStream } from '@grpc/grpc-js';
import type { StreamResponse } from '../../core/task.js';
import type { GrpcMethod, GrpcService } from '../../wire/protobuf/service.js';
import { writeMessage } from '../../wire/protobuf/write.js';
import type { BindingDeps } from '../binding.js';
import { toA2AError } from '../respond.js';
import type { FrameData } from '../sse.js';
import type { StreamedEvent } from '../tasks/task-stream.js';
import { goneSignal, receive } from './arrival.js';
import { CallLog } from './call-log.js';
import { errorWordsOf, failure } from './failure.js';
import type { FrameBytes, GrpcStreams } from './streams.js';

/** A method that answers with a stream. What is wrong before its first event is its status (B09). */
export function createStreamingHandler(
  deps: BindingDeps,
  service: GrpcService,
  method: GrpcMethod,
  streams: GrpcStreams,
): handleServerStreamingCall<Buffer, Buffer> {
  const errorWords = errorWordsOf(deps, service);
  const bytes = encodeOnce(method, deps.speakers[service.dialect].eventText);

  return (call) => void answer(call);

  async function answer(call: ServerWritableStream<Buffer, Buffer>): Promise<void> {
    const log = new CallLog(call, deps.logger);
    const signal = goneSignal(call);
    try {
      const head = new Metadata();
      const reply = await receive(deps, service, method, { call, facts: log.facts, signal, head });
      if (!('stream' in reply)) throw new Error(`${method.name} gave no stream`);
      call.sendMetadata(head);
      try {
        const { broken, trailers } = await streams.serve(call, reply.stream, bytes);
        if (broken === undefined) {
          log.end(signal.aborted);
          call.end(trailers);
          return;
        }
        const status = failure(broken, errorWords, log.facts, trailers);
        log.end(signal.aborted, { error: broken.code, status: status.code });
        call.emit('error', status);
      } finally {
        reply.release();
      }
    } catch (thrown) {
      const error = toA2AError(thrown, log.facts.requestId, deps.logger);
      const status = failure(error, errorWords, log.facts);
      log.end(signal.aborted, { error: error.code, status: status.code });
      call.emit('error', status);
    }
  }
}

/**
 * The bytes of an event, made once however many read it. gRPC has no place beside a message for the event's
 * sequence number, so it stands in the metadata of what the event carries, as `$seq` (B02).
 */
function encodeOnce({ response }: GrpcMethod, text: FrameData): FrameBytes {
  const encoded = new WeakMap<StreamResponse, Buffer | undefined>();
  return (stored) => {
    const { event, passed } = stored;
    if (passed === true) return encode(stored);
    if (!encoded.has(event)) encoded.set(event, encode(stored));
    return encoded.get(event);
  };

  function encode({ seq, event, passed }: StreamedEvent): Buffer | undefined {
    const json = text(event, passed);
    if (json === undefined) return undefined;
    const frame = JSON.parse(json) as Record<string, { metadata?: Record<string, unknown> }>;
    for (const carried of Object.values(frame)) (carried.metadata ??= {}).$seq = seq;
    return writeMessage(response, frame);
  }
}

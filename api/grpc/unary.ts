import { Metadata, type handleUnaryCall, type sendUnaryData, type ServerUnaryCall } from '@grpc/grpc-js';
import type { GrpcMethod, GrpcService } from '../../wire/protobuf/service.js';
import { writeMessage } from '../../wire/protobuf/write.js';
import type { BindingDeps } from '../binding.js';
import { toA2AError } from '../respond.js';
import { goneSignal, receive } from './arrival.js';
import { errorWordsOf, failure } from './failure.js';
import { CallLog } from './call-log.js';

/** A method with one answer. */
export function createUnaryHandler(
  deps: BindingDeps,
  service: GrpcService,
  method: GrpcMethod,
): handleUnaryCall<Buffer, Buffer> {
  const errorWords = errorWordsOf(deps, service);
  return (call, callback) => void answer(call, callback);

  async function answer(
    call: ServerUnaryCall<Buffer, Buffer>,
    callback: sendUnaryData<Buffer>,
  ): Promise<void> {
    const log = new CallLog(call, deps.logger);
    const signal = goneSignal(call);
    try {
      const head = new Metadata();
      const reply = await receive(deps, service, method, { call, facts: log.facts, signal, head });
      if (!('json' in reply)) throw new Error(`${method.name} gave a stream`);
      const json = JSON.parse(reply.json) as object;
      const answer = writeMessage(method.response, method.answer?.(json) ?? json);
      log.end(signal.aborted);
      call.sendMetadata(head);
      callback(null, answer);
    } catch (thrown) {
      const error = toA2AError(thrown, log.facts.requestId, deps.logger);
      const status = failure(error, errorWords, log.facts);
      log.end(signal.aborted, { error: error.code, status: status.code });
      callback(status);
    }
  }
}

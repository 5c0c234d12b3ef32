import { randomUUID } from 'node:crypto';
import { Client, credentials } from '@grpc/grpc-js';
import { readMessage } from '../../wire/protobuf/read.js';
import { writeMessage } from '../../wire/protobuf/write.js';
import { V1_SERVICE } from '../../wire/v1/proto.js';
import type { LoopResult } from './unary.js';

const METHOD = V1_SERVICE.methods.find(({ name }) => name === 'SendMessage')!;
const same = (bytes: Buffer): Buffer => bytes;

/** Sends messages over gRPC, one after the other. Each answer must be a task in the state `expect`. */
export async function sendOverGrpc(options: {
  address: string;
  /** Names the agent. */
  tenant: string;
  text: string;
  expect: string;
  count: number;
}): Promise<LoopResult> {
  const { address, tenant, text, expect, count } = options;
  const client = new Client(address, credentials.createInsecure());
  const path = `/${V1_SERVICE.name}/${METHOD.name}`;
  const call = (bytes: Buffer) =>
    new Promise<Buffer>((resolve, reject) => {
      client.makeUnaryRequest(path, same, same, bytes, (error, answer) =>
        error === null && answer !== undefined ? resolve(answer) : reject(error ?? new Error('no answer')),
      );
    });
  const latencies: number[] = [];
  const started = performance.now();
  try {
    for (let sent = 0; sent < count; sent += 1) {
      const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }] };
      const before = performance.now();
      const answer = readMessage(
        METHOD.response,
        await call(writeMessage(METHOD.request, { tenant, message })),
      );
      latencies.push(performance.now() - before);
      const { task } = answer as { task?: { status: { state: string } } };
      if (task?.status.state !== expect) throw new Error(`expected ${expect}: ${JSON.stringify(answer)}`);
    }
  } finally {
    client.close();
  }
  return { latencies, perSecond: latencies.length / ((performance.now() - started) / 1_000) };
}

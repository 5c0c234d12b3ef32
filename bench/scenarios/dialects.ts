import type { Task } from '../../core/task.js';
import { createCodecs } from '../../wire/codecs.js';
import type { DialectName } from '../../wire/dialects.js';
import { readMessage } from '../../wire/protobuf/read.js';
import type { GrpcService } from '../../wire/protobuf/service.js';
import { writeMessage } from '../../wire/protobuf/write.js';
import { V03_SERVICE } from '../../wire/v03/proto.js';
import { V1_SERVICE } from '../../wire/v1/proto.js';
import type { LoopResult } from '../load/unary.js';
import { median, paired } from '../measure.js';
import type { Figure, Scenario } from '../scenario.js';

export const dialects: Scenario = {
  name: 'dialects',
  title: 'Dialects: gRPC beside JSON-RPC, and what a codec costs',
  limit: 'A send waits for Temporal; what is left is HTTP/2 of Node.js beside its HTTP/1.1.',
  async run(stack) {
    const load = await stack.load();
    const product = await stack.product('start');
    const expect = 'TASK_STATE_COMPLETED';
    const rpc = (count: number) =>
      load.call<LoopResult>('send', {
        url: product.url('trivial'),
        text: 'hello',
        expect,
        concurrency: 1,
        count,
      });
    const grpc = (count: number) =>
      load.call<LoopResult>('sendOverGrpc', {
        address: product.grpcAddress,
        tenant: 'trivial',
        text: 'hello',
        expect,
        count,
      });
    await rpc(stack.size(200, 5));
    await grpc(stack.size(200, 5));
    const count = stack.size(100, 5);
    const pair = await paired(
      stack.size(7, 2),
      async () => median((await grpc(count)).latencies),
      async () => median((await rpc(count)).latencies),
    );
    const cost = (what: string, micros: number): Figure => ({
      what: `decode a send and encode its task, ${what}`,
      unit: 'µs',
      ours: micros,
      // Of a send over JSON-RPC.
      ratio: micros / 1_000 / pair.peer,
      target: { atMost: 0.05 },
    });
    return [
      {
        what: 'p50, one sender, gRPC',
        unit: 'ms',
        ours: pair.ours,
        peer: { name: 'JSON-RPC', value: pair.peer },
        ratio: pair.ratio,
        target: { atMost: 1.1 },
      },
      ...codecCosts(stack.size(2_000, 20)).map(([what, micros]) => cost(what, micros)),
    ];
  },
};

const V1_SEND = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] } };
const V03_SEND = {
  message: { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'hello' }] },
};
const DRAFT_SEND = {
  id: 't',
  sessionId: 's',
  message: { role: 'user', parts: [{ type: 'text', text: 'hello' }] },
};
const V03_PROTO_SEND = { message: { messageId: 'm', role: 'ROLE_USER', content: [{ text: 'hello' }] } };

const DONE: Task = {
  id: 'task.01a22fc8-f63f-7d73-9ec0-58d649f67702',
  contextId: 'ctx.01a22fc8-f63f-7d09-8a13-37cee742177d',
  status: { state: 'TASK_STATE_COMPLETED', timestamp: '2026-01-01T00:00:00.000Z' },
  artifacts: [{ artifactId: 'art.01a22fc8-f646-726a-93a8-3123343b86e6', parts: [{ text: 'done' }] }],
  history: [
    {
      messageId: 'm',
      role: 'ROLE_USER',
      parts: [{ text: 'hello' }],
      metadata: { $timestamp: '2026-01-01T00:00:00.000Z' },
    },
  ],
};

/** Median microseconds of both ways, by dialect. */
function codecCosts(rounds: number): [string, number][] {
  const codecs = createCodecs({ parts: 1_000, depth: 100 });
  const json = (name: DialectName, send: object) => {
    const body = JSON.stringify(send);
    return () => {
      codecs[name].decode('SendMessage', JSON.parse(body));
      codecs[name].encodeSendResult({ task: DONE });
    };
  };
  const protobuf = ({ dialect, methods }: GrpcService, send: object) => {
    const { request, response } = methods.find(({ operation }) => operation === 'SendMessage')!;
    const bytes = writeMessage(request, send);
    return () => {
      codecs[dialect].decode('SendMessage', readMessage(request, bytes));
      writeMessage(response, JSON.parse(codecs[dialect].encodeSendResult({ task: DONE })) as object);
    };
  };
  const both: [string, () => void][] = [
    ['1.0 JSON', json('v1', V1_SEND)],
    ['1.0 protobuf', protobuf(V1_SERVICE, V1_SEND)],
    ['0.3 JSON-RPC', json('v03', V03_SEND)],
    ['0.3 HTTP+JSON', json('v03-proto', V03_PROTO_SEND)],
    ['0.3 protobuf', protobuf(V03_SERVICE, V03_PROTO_SEND)],
    ['draft', json('draft', DRAFT_SEND)],
    ['gateway', json('gateway', V03_SEND)],
    ['/v2/agentic', json('agentic', V1_SEND)],
  ];
  return both.map(([what, once]) => [what, microseconds(once, rounds)]);
}

function microseconds(once: () => void, rounds: number): number {
  for (let round = 0; round < rounds; round += 1) once();
  const times = Array.from({ length: rounds }, () => {
    const before = performance.now();
    once();
    return performance.now() - before;
  });
  return median(times) * 1_000;
}

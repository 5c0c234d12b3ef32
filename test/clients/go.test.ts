import { afterAll, beforeAll, describe, expect } from 'vitest';
import { conformanceAgentsFolder } from '../conformance/agents-folder.js';
import { startStack, type Stack } from '../support/stack.js';
import { expectConversation, IN_0_3, IN_0_3_GRPC, REFUSALS, type Otherwise } from './conversation.js';
import { converse, type Talk } from './converse.js';
import { goProgram, missingTool, type Program } from './programs.js';

/** The first run fetches the modules and compiles them. */
const PREPARATION = 10 * 60_000;
const ENV = { WEBHOOKS_ALLOW_PRIVATE: 'true' };

/** It takes a null for a part without content. */
const OWN: Otherwise = { nothing: { failed: expect.stringContaining('unknown part content type: [data]') } };
/** It reads a refused stream, which is plain JSON, as SSE, and finds no event in it. */
const UNSEEN = { streamFinished: 'no error', subscribeFinished: 'no error' };
const UNSUPPORTED = 'UnsupportedOperationError';
/** It turns data into a protobuf Struct, which is an object. */
const OBJECTS_ALONE: Otherwise = {
  data: { failed: expect.stringContaining('must be a map') },
  nothing: { failed: expect.stringContaining('must be a map') },
};
/** Over gRPC it expects the statuses of specification 1.0.1, and takes those of 1.0.0 for faults of the server. */
const STATUSES_OF_1_0_0 = {
  sendFinished: 'InternalError',
  streamFinished: 'InternalError',
  subscribeFinished: 'InternalError',
  version: 'InternalError',
};

const ROWS: [version: Talk['version'], binding: Talk['binding'], otherwise: Otherwise][] = [
  ['1.0', 'JSONRPC', { ...OWN, errors: { ...REFUSALS, ...UNSEEN } }],
  ['1.0', 'HTTP+JSON', OWN],
  [
    '1.0',
    'GRPC',
    {
      ...OBJECTS_ALONE,
      errors: { ...REFUSALS, ...STATUSES_OF_1_0_0 },
    },
  ],
  [
    '0.3',
    'JSONRPC',
    {
      ...IN_0_3,
      list: { failed: expect.stringContaining(UNSUPPORTED) },
      errors: { ...REFUSALS, ...UNSEEN, pageSize: UNSUPPORTED },
    },
  ],
  [
    '0.3',
    'HTTP+JSON',
    {
      ...IN_0_3,
      // Its list is 1.0's, which 0.3 does not have.
      list: expect.objectContaining({ states: expect.any(Array) }),
      // 0.3 has objects alone for data, and this client no way to say otherwise.
      data: { failed: expect.stringContaining('must be an object') },
      nothing: { data: {} },
    },
  ],
  [
    '0.3',
    'GRPC',
    {
      ...IN_0_3_GRPC,
      list: { failed: expect.stringContaining('does not implement the method') },
      errors: {
        ...REFUSALS,
        ...STATUSES_OF_1_0_0,
        pageSize: expect.stringContaining('does not implement the method'),
      },
    },
  ],
];

describe.skipIf(await missingTool('go'))('the official Go client', () => {
  let stack: Stack;
  let stackOf1_0_1: Stack;
  let program: Program;
  beforeAll(async () => {
    const agentsFolder = await conformanceAgentsFolder({ capabilities: true, ordinaryAsks: false });
    [stack, program] = await Promise.all([startStack({ agentsFolder, env: ENV }), goProgram()]);
    stackOf1_0_1 = await startStack({ agentsFolder, env: { ...ENV, ERROR_TABLE: '1.0.1' } });
  }, PREPARATION);
  afterAll(() => Promise.all([stack.close(), stackOf1_0_1.close()]));

  describe.each(ROWS)('in %s over %s', (version, binding, otherwise) => {
    expectConversation(async () => converse(program, stack.url, { version, binding }), otherwise);
  });

  describe('in 1.0 over gRPC, with the statuses of 1.0.1', () => {
    expectConversation(
      async () => converse(program, stackOf1_0_1.url, { version: '1.0', binding: 'GRPC' }),
      OBJECTS_ALONE,
    );
  });
});

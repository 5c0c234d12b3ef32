import { afterAll, beforeAll, describe, expect } from 'vitest';
import { conformanceAgentsFolder } from '../conformance/agents-folder.js';
import { startStack, type Stack } from '../support/stack.js';
import {
  ECHOED_OBJECTS,
  expectConversation,
  IN_0_3,
  IN_0_3_GRPC,
  REFUSALS,
  REGISTERED,
  type Otherwise,
} from './conversation.js';
import { converse, type Talk } from './converse.js';
import { missingTool, pythonProgram } from './programs.js';

/** The first run fetches the packages. */
const PREPARATION = 10 * 60_000;
const ENV = { WEBHOOKS_ALLOW_PRIVATE: 'true' };

/** The release of 1.0 speaks with servers of 0.3, too. */
const NEW_TO_OLD: Otherwise = {
  ...IN_0_3,
  list: { failed: expect.stringMatching(/^NotImplementedError/) },
  errors: { ...REFUSALS, pageSize: 'NotImplementedError' },
};
const NEW_TO_OLD_HTTP: Otherwise = {
  ...NEW_TO_OLD,
  // It can neither list nor delete a webhook there.
  push: { ...REGISTERED, both: 'NotImplementedError', one: 'NotImplementedError' },
};
/** Over gRPC the two differ. */
const NEW_TO_OLD_GRPC: Otherwise = { ...NEW_TO_OLD, ...IN_0_3_GRPC, list: NEW_TO_OLD.list };
/** The last release of 0.3. It knows errors by their codes, and over HTTP+JSON and gRPC by their statuses alone. */
const OLD: Otherwise = {
  ...IN_0_3,
  list: undefined,
  nothing: undefined,
  data: ECHOED_OBJECTS,
  push: REGISTERED,
};
const OLD_JSON_RPC: Otherwise = {
  ...OLD,
  errors: {
    unknown: 'JSON-RPC -32001',
    cancelFinished: 'JSON-RPC -32002',
    cancelCanceled: 'no error',
    sendFinished: 'JSON-RPC -32004',
    // That no stream came, which it tells so.
    streamFinished: 'HTTP 400',
    subscribeFinished: 'HTTP 400',
  },
};
const OLD_HTTP: Otherwise = {
  ...OLD,
  errors: {
    unknown: 'HTTP 404',
    cancelFinished: 'HTTP 409',
    cancelCanceled: 'no error',
    sendFinished: 'HTTP 400',
    streamFinished: 'HTTP 400',
    subscribeFinished: 'HTTP 400',
  },
};

const OLD_GRPC: Otherwise = {
  ...OLD,
  ...IN_0_3_GRPC,
  errors: {
    unknown: 'NOT_FOUND',
    cancelFinished: 'FAILED_PRECONDITION',
    cancelCanceled: 'no error',
    sendFinished: 'UNIMPLEMENTED',
    streamFinished: 'UNIMPLEMENTED',
    subscribeFinished: 'UNIMPLEMENTED',
  },
};

type Row = [client: '1.0' | '0.3', version: Talk['version'], binding: Talk['binding'], otherwise: Otherwise];
const ROWS: Row[] = [
  ['1.0', '1.0', 'JSONRPC', {}],
  ['1.0', '1.0', 'HTTP+JSON', {}],
  ['1.0', '1.0', 'GRPC', {}],
  ['1.0', '0.3', 'JSONRPC', NEW_TO_OLD],
  ['1.0', '0.3', 'HTTP+JSON', NEW_TO_OLD_HTTP],
  ['1.0', '0.3', 'GRPC', NEW_TO_OLD_GRPC],
  ['0.3', '0.3', 'JSONRPC', OLD_JSON_RPC],
  ['0.3', '0.3', 'HTTP+JSON', OLD_HTTP],
  ['0.3', '0.3', 'GRPC', OLD_GRPC],
];

describe.skipIf(await missingTool('python'))('the official Python client', () => {
  let stack: Stack;
  beforeAll(async () => {
    const agentsFolder = await conformanceAgentsFolder({ capabilities: true, ordinaryAsks: false });
    // The programs are the same later; now they are made.
    [stack] = await Promise.all([
      startStack({ agentsFolder, env: ENV }),
      pythonProgram('1.0'),
      pythonProgram('0.3'),
    ]);
  }, PREPARATION);
  afterAll(() => stack.close());

  describe.each(ROWS)('of %s in %s over %s', (client, version, binding, otherwise) => {
    expectConversation(
      async () => converse(await pythonProgram(client), stack.url, { version, binding }),
      otherwise,
    );
  });
});

import { afterAll, beforeAll, describe, expect } from 'vitest';
import { conformanceAgentsFolder } from '../conformance/agents-folder.js';
import { startStack, type Stack } from '../support/stack.js';
import { expectConversation, IN_0_3, REFUSALS, type Otherwise } from './conversation.js';
import { converse, type Talk } from './converse.js';
import { goProgram, missingTool, type Program } from './programs.js';
import type { Report } from './report.js';

/** The first run fetches the modules and compiles them. */
const PREPARATION = 10 * 60_000;

/** It takes a null for a part without content. */
const OWN: Otherwise = { nothing: { failed: expect.stringContaining('unknown part content type: [data]') } };
/** It reads a refused stream, which is plain JSON, as SSE, and finds no event in it. */
const UNSEEN = { streamFinished: 'no error', subscribeFinished: 'no error' };
const UNSUPPORTED = 'UnsupportedOperationError';

const ROWS: [version: Talk['version'], binding: Talk['binding'], otherwise: Otherwise][] = [
  ['1.0', 'JSONRPC', { ...OWN, errors: { ...REFUSALS, ...UNSEEN } }],
  ['1.0', 'HTTP+JSON', OWN],
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
];

describe.skipIf(await missingTool('go'))('the official Go client', () => {
  let stack: Stack;
  let program: Program;
  beforeAll(async () => {
    const agentsFolder = await conformanceAgentsFolder({ capabilities: true, ordinaryAsks: false });
    [stack, program] = await Promise.all([startStack({ agentsFolder }), goProgram()]);
  }, PREPARATION);
  afterAll(() => stack.close());

  describe.each(ROWS)('in %s over %s', (version, binding, otherwise) => {
    let report: Report;
    beforeAll(async () => {
      report = await converse(program, stack.url, { version, binding });
    });
    expectConversation(() => report, otherwise);
  });
});

import { afterAll, beforeAll, describe, expect } from 'vitest';
import { conformanceAgentsFolder } from '../conformance/agents-folder.js';
import { startStack, type Stack } from '../support/stack.js';
import { expectConversation, REFUSALS } from './conversation.js';
import { converse } from './converse.js';
import { goProgram, missingTool, type Program } from './programs.js';
import type { Report } from './report.js';

/** The first run fetches the modules and compiles them. */
const PREPARATION = 10 * 60_000;
const BINDINGS = ['JSONRPC', 'HTTP+JSON'] as const;

/** What this release of the client does otherwise than the specification. */
const OWN = {
  // It takes a null for a part without content.
  nothing: { failed: expect.stringContaining('unknown part content type: [data]') },
};
const OWN_BY_BINDING = {
  // It reads a refused stream, which is plain JSON, as SSE, and finds no event in it.
  JSONRPC: { ...OWN, errors: { ...REFUSALS, streamFinished: 'no error', subscribeFinished: 'no error' } },
  'HTTP+JSON': OWN,
};

describe.skipIf(await missingTool('go'))('the official Go client', () => {
  let stack: Stack;
  let program: Program;
  beforeAll(async () => {
    const agentsFolder = await conformanceAgentsFolder({ capabilities: true, ordinaryAsks: false });
    [stack, program] = await Promise.all([startStack({ agentsFolder }), goProgram()]);
  }, PREPARATION);
  afterAll(() => stack.close());

  describe.each(BINDINGS)('of 1.0 over %s', (binding) => {
    let report: Report;
    beforeAll(async () => {
      const webhook = 'http://127.0.0.1:9/webhook';
      report = await converse(program, { url: stack.url, version: '1.0', binding, webhook });
    });
    expectConversation(() => report, { spoken: `${binding} 1.0`, own: OWN_BY_BINDING[binding] });
  });
});

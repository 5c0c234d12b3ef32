import { afterAll, beforeAll, describe } from 'vitest';
import { conformanceAgentsFolder } from '../conformance/agents-folder.js';
import { startStack, type Stack } from '../support/stack.js';
import { expectConversation } from './conversation.js';
import { converse } from './converse.js';
import { missingTool, pythonProgram, type Program } from './programs.js';
import type { Report } from './report.js';

/** The first run fetches the packages. */
const PREPARATION = 10 * 60_000;
const BINDINGS = ['JSONRPC', 'HTTP+JSON'] as const;

describe.skipIf(await missingTool('python'))('the official Python client', () => {
  let stack: Stack;
  let program: Program;
  beforeAll(async () => {
    const agentsFolder = await conformanceAgentsFolder({ capabilities: true, ordinaryAsks: false });
    [stack, program] = await Promise.all([startStack({ agentsFolder }), pythonProgram('1.0')]);
  }, PREPARATION);
  afterAll(() => stack.close());

  describe.each(BINDINGS)('of 1.0 over %s', (binding) => {
    let report: Report;
    beforeAll(async () => {
      const webhook = 'http://127.0.0.1:9/webhook';
      report = await converse(program, { url: stack.url, version: '1.0', binding, webhook });
    });
    expectConversation(() => report, { spoken: `${binding} 1.0` });
  });
});

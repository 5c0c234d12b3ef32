import type { AgentDefinition, Content } from '../core/agent.js';
import { INTERMEDIATE_THINKING } from '../core/record.js';
import { isTerminal } from '../core/states.js';
import { type Message, type StreamResponse, type Task, textOf } from '../core/task.js';
import { AgentTest } from './agent-test.js';
import type { AgentTestOptions, LogLine } from './options.js';

/**
 * Tests of agents without a server: no Temporal, no HTTP, no waiting. The agent's `run` is the real one, on
 * the same session, recording rules and model activity as in production; only time, the journal and the
 * world outside are the test's.
 */
export type { AgentTest } from './agent-test.js';
export type { ModelAnswer, ModelAnswers, ModelQuestion } from './model-answers.js';
export type { AgentTestOptions, LogLine } from './options.js';

export interface TestAgentOptions extends AgentTestOptions {
  /** Answers to the agent's questions, in order; a function is given the question. */
  replies?: (Content | ((question: string) => Content))[];
  /**
   * What happens when the agent asks for authorisation: it is given, or nobody gives it in time. Default
   * `grant`.
   */
  auth?: 'grant' | 'expire';
}

export interface TestedAgent {
  /** As it ended. */
  task: Task;
  /** The direct answer, where the agent gave one instead of a task (A03). */
  message: Message | undefined;
  /** The answer as text: of the direct message, or of the artifacts that are not intermediate thinking. */
  text: string;
  /** Everything that a client's stream would have brought, in order. */
  events: StreamResponse[];
  questions: string[];
  /** What operators would have read; an agent that failed by a bug shows its error here. */
  log: LogLine[];
}

/**
 * Runs an agent from its first message to its end. Sleeps and timeouts take no time. When the agent asks and
 * no reply is left, its timeout passes; without a timeout the test fails and says what was asked.
 *
 *     test('plans a day in the city that was named', async () => {
 *       const { task, questions, text } = await testAgent(concierge, {
 *         message: 'Plan a day',
 *         replies: ['Paris'],
 *       });
 *       expect(questions).toEqual(['Which city?']);
 *       expect(task.status.state).toBe('TASK_STATE_COMPLETED');
 *       expect(text).toContain('A day in Paris');
 *     });
 *
 * With own activities and a model:
 *
 *     await testAgent(researcher, {
 *       message: 'How warm is it?',
 *       activities: { measure: async ({ city }) => 21 },
 *       model: [{ say: 'Let me look.', calls: [{ name: 'weather', input: { city: 'Paris' } }] }, 'It is 21 °C.'],
 *     });
 */
export async function testAgent(
  agent: AgentDefinition,
  input: Content | TestAgentOptions,
): Promise<TestedAgent> {
  const options: TestAgentOptions = isContent(input) ? { message: input } : input;
  const replies = [...(options.replies ?? [])];
  const run = new AgentTest(agent, options);
  for (;;) {
    const { status } = await run.settled();
    if (isTerminal(status.state)) break;
    const asks = status.state === 'TASK_STATE_INPUT_REQUIRED';
    const reply = asks ? replies.shift() : undefined;
    if (reply !== undefined) {
      run.reply(typeof reply === 'function' ? reply(run.questions.at(-1) ?? '') : reply);
    } else if (!asks && options.auth !== 'expire') {
      run.resolveAuth();
    } else if (!(await run.elapseToTimeout())) {
      throw new Error(`the agent asks “${run.questions.at(-1)}” and the test has no reply left`);
    }
  }
  const { task, message, events, questions, log } = run;
  return { task, message, text: answerText(task, message), events, questions, log };
}

/**
 * Starts an agent and leaves the rest to the test.
 *
 *     const t = startAgent(concierge, 'Plan a day');
 *     await t.until('TASK_STATE_INPUT_REQUIRED');
 *     t.reply('Paris');
 *     const task = await t.done();
 *
 * Also `t.cancel()`, `t.resolveAuth()`, and `await t.elapse('2 days')` for a question that nobody answers.
 * While the agent works time passes by itself; while it waits for the test time stands still.
 */
export function startAgent(agent: AgentDefinition, input: Content | AgentTestOptions): AgentTest {
  return new AgentTest(agent, isContent(input) ? { message: input } : input);
}

function isContent(input: Content | AgentTestOptions): input is Content {
  return typeof input === 'string' || Array.isArray(input);
}

function answerText(task: Task, message: Message | undefined): string {
  if (message) return textOf(message);
  const answers = (task.artifacts ?? []).filter(({ metadata }) => metadata?.type !== INTERMEDIATE_THINKING);
  return answers.map(textOf).join('\n');
}

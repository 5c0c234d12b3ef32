import { type AgentDefinition, defineAgent, type TaskContext } from '../../index.js';
import { commandOf } from './commands.js';
import { scenarioOf } from './scenarios.js';

/** How the test agent presents itself; the runner's options (run.ts). */
export interface ConformanceOptions {
  /** Streaming, push notifications and the extended card are declared, and work. */
  capabilities: boolean;
  /** A message that asks for nothing special ends in INPUT_REQUIRED instead of COMPLETED: the 0.3 kit needs it. */
  ordinaryAsks: boolean;
  /** URI of an extension that every caller has to name. */
  requiredExtension?: string | undefined;
}

/**
 * An agent that shows every behaviour on demand: for the conformance kit by the prefix of the message's id, for
 * everybody else by the first line of its text.
 */
export function conformanceAgent({
  capabilities,
  ordinaryAsks,
  requiredExtension,
}: ConformanceOptions): AgentDefinition {
  return defineAgent({
    code: 'conformance',
    card: {
      name: 'Conformance agent',
      description: 'Shows every behaviour on demand, for tests of clients and servers',
      provider: { organization: 'a2a-temporal', url: 'https://a2a-temporal.example' },
      skills: [
        {
          id: 'behave',
          name: 'Behave',
          description:
            'Does what the first line of the message says: wait, ask, auth, tokens, burst, echo and more',
          tags: ['test'],
          examples: ['wait 500', 'ask', 'tokens 20 50'],
        },
      ],
      defaultInputModes: ['*/*'],
      defaultOutputModes: ['text/plain', 'application/json'],
    },
    ...(capabilities && {
      extendedCard: {
        skills: [
          {
            id: 'behave-more',
            name: 'Behave for those who may',
            description: 'Is only in the extended card',
            tags: ['test'],
          },
        ],
      },
    }),
    ...(requiredExtension !== undefined && {
      extensions: [{ uri: requiredExtension, description: 'Has to be named', required: true }],
    }),
    answers: 'either',
    capabilities: { streaming: capabilities },
    async run(task) {
      const act = scenarioOf(task.message.messageId) ?? commandOf(task.text);
      if (act !== undefined) return act(task);
      return ordinaryAsks ? converse(task) : task.complete(`done: ${task.text}`);
    },
  });
}

/** Asks after every message until it is told that this is all. */
async function converse(task: TaskContext): Promise<void> {
  let said = task.text;
  while (said !== 'done') said = await task.ask(`You said: ${said}`);
  await task.complete('Goodbye');
}

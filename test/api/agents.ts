import { defineAgent, type AgentDefinition } from '../../core/agent.js';
import type { TaskStart } from '../../core/journal.js';
import { textOf, type TaskState } from '../../core/task.js';
import type { Run, Script } from './scripted-worker.js';

export function agent(code: string, more: Partial<AgentDefinition> = {}): AgentDefinition {
  return defineAgent({
    code,
    card: {
      name: code,
      description: 'an agent of the tests',
      skills: [{ id: 's', name: 'skill', description: 'does what the first word says', tags: [] }],
    },
    // What it does is in the scripts below.
    run: () => Promise.resolve(),
    ...more,
  });
}

/** At the root address. */
export const DEFAULT_AGENT = 'main';

export const TEST_AGENTS: AgentDefinition[] = [
  agent(DEFAULT_AGENT),
  agent('other'),
  agent('direct', { answers: 'message' }),
  agent('either', { answers: 'either' }),
  agent('whole', { capabilities: { streaming: false, pushNotifications: false } }),
];

/** What an agent does is the first word of the message. */
const SCRIPTS: Record<string, Script> = {
  hello: async (run) => {
    await run.status('TASK_STATE_WORKING');
    await run.artifact('answer', `hello ${run.text}`);
    await run.status('TASK_STATE_COMPLETED');
  },
  ask: async (run) => {
    const reply = await run.ask('Which city?');
    await run.artifact('answer', `in ${textOf(reply)}`);
    await run.status('TASK_STATE_COMPLETED');
  },
  ask2: async (run) => {
    const city = await run.ask('Which city?');
    const day = await run.ask('Which day?');
    await run.artifact('answer', `${textOf(city)} ${textOf(day)}`);
    await run.status('TASK_STATE_COMPLETED');
  },
  auth: async (run) => {
    await run.status('TASK_STATE_AUTH_REQUIRED', 'Authorise at https://example.com');
    await run.gate.opened;
    await run.status('TASK_STATE_WORKING');
    await run.status('TASK_STATE_COMPLETED');
  },
  tokens: async (run) => {
    await run.status('TASK_STATE_WORKING');
    for (let n = 0; n < Number(run.text.split(' ')[1]); n += 1) await run.fragment('answer', `t${n} `, n > 0);
    await run.record({ kind: 'close', artifactId: 'answer' });
    await run.status('TASK_STATE_COMPLETED');
  },
  /** Works until the test opens the gate. */
  gate: async (run) => {
    await run.status('TASK_STATE_WORKING');
    await run.gate.opened;
    await run.status('TASK_STATE_COMPLETED');
  },
  stubborn: async (run) => {
    run.ignoresCancel = true;
    await run.status('TASK_STATE_WORKING');
  },
  fail: ending('TASK_STATE_FAILED'),
  reject: ending('TASK_STATE_REJECTED'),
  say: async (run) => {
    await run.record({ kind: 'message', message: { parts: [{ text: 'directly' }] } });
  },
  'say-late': async (run) => {
    await run.gate.opened;
    await run.record({ kind: 'message', message: { parts: [{ text: 'late' }] } });
  },
};

function ending(state: TaskState): Script {
  return async (run: Run) => {
    await run.status(state, 'because');
  };
}

export function scriptFor({ message }: TaskStart): Script {
  const [word = ''] = textOf(message).split(' ');
  return SCRIPTS[word] ?? SCRIPTS.hello!;
}

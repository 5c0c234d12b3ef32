import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Processes } from '../../demo/processes.js';
import type { Task } from '../../core/task.js';
import { script, type Step } from '../agents/script.js';
import { artifactTexts, type Frame, RpcClient, sendParams } from '../support/rpc-client.js';

/**
 * API, worker and Temporal as processes of their own, killed with SIGKILL at random moments while 50 tasks
 * are in mixed states.
 */

let processes: Processes;
let rpc: RpcClient;
beforeAll(async () => {
  processes = await Processes.start({
    AGENTS_DIR: fileURLToPath(new URL('../agents', import.meta.url)),
    DEFAULT_AGENT: 'script',
    SCRIPTED_MODEL_DELAY: '20ms',
  });
  rpc = new RpcClient(`${processes.url}/a2a/jsonrpc`);
});
afterAll(() => processes.stop());

interface Plan {
  steps: Step[];
  ends: string;
  /** Asks this many questions, each of which has to be answered. */
  asks: number;
  cancel?: boolean;
}

const PLANS: Plan[] = [
  { steps: [{ do: 'complete', text: 'quick' }], ends: 'TASK_STATE_COMPLETED', asks: 0 },
  {
    steps: [
      { do: 'working', text: 'a' },
      { do: 'activity', millis: 3_000 },
      { do: 'artifact', text: 'b' },
    ],
    ends: 'TASK_STATE_COMPLETED',
    asks: 0,
  },
  {
    steps: [
      { do: 'ask', text: '1?' },
      { do: 'sleep', millis: 800 },
      { do: 'ask', text: '2?' },
    ],
    ends: 'TASK_STATE_COMPLETED',
    asks: 2,
  },
  {
    steps: [{ do: 'generate', prompt: 'a long walk along the coast' }],
    ends: 'TASK_STATE_COMPLETED',
    asks: 0,
  },
  {
    steps: [
      {
        do: 'repeat',
        times: 25,
        steps: [
          { do: 'activity', millis: 100 },
          { do: 'stream', pieces: ['x', 'y'] },
        ],
      },
    ],
    ends: 'TASK_STATE_COMPLETED',
    asks: 0,
  },
  {
    steps: [
      { do: 'sleep', millis: 2_000 },
      { do: 'fail', text: 'as told' },
    ],
    ends: 'TASK_STATE_FAILED',
    asks: 0,
  },
  { steps: [{ do: 'activity', millis: 120_000 }], ends: 'TASK_STATE_CANCELED', asks: 0, cancel: true },
];

/** Ids of all task workflows that Temporal knows; visibility may show them a moment later. */
async function workflowIds(): Promise<string[]> {
  const connection = await Connection.connect({ address: processes.temporalAddress });
  try {
    const ids = new Set<string>();
    const client = new Client({ connection });
    for await (const { workflowId } of client.workflow.list({ query: "WorkflowType = 'taskWorkflow'" })) {
      ids.add(workflowId);
    }
    return [...ids].sort();
  } finally {
    await connection.close();
  }
}

/** Tries again while a process is down, as any client would. */
async function patiently<T>(call: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await call();
    } catch (error) {
      const refused = error instanceof TypeError || /HTTP|JSON|-32603/.test(String(error));
      if (!refused || tries > 300) throw error;
      await delay(100);
    }
  }
}

/** A reader that comes back with its last id until the stream has reached a terminal state. */
async function follow(id: string): Promise<Frame[]> {
  const seen: Frame[] = [];
  const over = (): boolean =>
    seen.some(
      ({ event }) =>
        'statusUpdate' in event && /COMPLETED|FAILED|CANCELED|REJECTED/.test(event.statusUpdate.status.state),
    );
  for (let tries = 0; tries < 600 && !over(); tries++) {
    try {
      const last = seen.at(-1)?.id ?? '0';
      for await (const frame of rpc.stream(
        'SubscribeToTask',
        { id },
        { headers: { 'last-event-id': last } },
      )) {
        seen.push(frame);
      }
    } catch {
      await delay(100);
    }
  }
  return seen;
}

async function drive(plan: Plan, index: number): Promise<{ task: Task; frames: Frame[] }> {
  const headers = { 'idempotency-key': `crash-${index}` };
  const params = sendParams([script(...plan.steps)], {
    messageId: `m-${index}`,
    configuration: { returnImmediately: true },
  });
  const { task } = await patiently(() => rpc.ok<{ task: Task }>('SendMessage', params, headers));
  const frames = follow(task.id);
  for (let answered = 0; answered < plan.asks; answered++) {
    const asks = JSON.stringify(`${answered + 1}?`);
    for (;;) {
      const now = await patiently(() => rpc.get(task.id));
      const question = JSON.stringify(now.status.message?.parts ?? []);
      if (now.status.state === 'TASK_STATE_INPUT_REQUIRED' && question.includes(asks)) break;
      await delay(100);
    }
    await patiently(() =>
      rpc.send(`answer ${answered}`, {
        taskId: task.id,
        messageId: `m-${index}-${answered}`,
        configuration: { returnImmediately: true },
      }),
    );
  }
  if (plan.cancel) {
    await delay(2_000 + 500 * index);
    await patiently(async () => {
      const answer = await rpc.call<Task>('CancelTask', { id: task.id });
      // The process may have died between the cancel and its answer.
      if (answer.error && answer.error.code !== -32002) throw new Error(`HTTP ${answer.error.code}`);
    });
  }
  const all = await frames;
  return { task: await patiently(() => rpc.get(task.id)), frames: all };
}

test('F03 B07 B11 50 tasks survive SIGKILL of worker, API and Temporal at random moments', async () => {
  const plans = Array.from({ length: 50 }, (_, index) => PLANS[index % PLANS.length]!);
  let driving = true;
  const chaos = (async () => {
    const victims = ['worker', 'api', 'temporal'] as const;
    for (let round = 0; round < 9 && driving; round++) {
      await delay(500 + Math.random() * 1_500);
      const victim = victims[round % 3]!;
      await processes.kill(victim);
      if (victim !== 'temporal') await processes.startRole(victim);
    }
  })();
  const ends = await Promise.all(plans.map((plan, index) => drive(plan, index)));
  driving = false;
  await chaos;

  ends.forEach(({ task, frames }, index) => {
    const plan = plans[index]!;
    expect([index, task.status.state]).toEqual([index, plan.ends]);
    // Each event once, none missed, in order.
    expect(frames.map(({ id }) => Number(id))).toEqual(frames.map((_, at) => at + 1));
    // No text twice: what the reader put together is what the task says.
    const texts = artifactTexts(frames);
    for (const artifact of task.artifacts ?? []) {
      const whole = artifact.parts.map((part) => ('text' in part ? part.text : '')).join('');
      expect(texts.get(artifact.artifactId)).toBe(whole);
    }
    if (plan.asks > 0)
      expect(task.history?.filter(({ role }) => role === 'ROLE_USER')).toHaveLength(1 + plan.asks);
  });

  // No send ran twice, no workflow is without its row, and no row without its workflow.
  const { tasks, totalSize } = await rpc.ok<{ tasks: Task[]; totalSize: number }>('ListTasks', {
    pageSize: 100,
  });
  expect(totalSize).toBe(plans.length);
  const rows = tasks.map(({ id }) => id).sort();
  await expect.poll(() => workflowIds(), { timeout: 20_000, interval: 500 }).toEqual(rows);
}, 300_000);

import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { historyFromJSON, historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleWorkflows, loadAgents } from '../../worker/index.js';
import { script, type Step } from '../agents/script.js';
import { replayHistories } from '../support/replay.js';
import { startStack } from '../support/stack.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const HISTORIES = fileURLToPath(new URL('../histories', import.meta.url));
const AGENTS = fileURLToPath(new URL('../agents', import.meta.url));
const CHANGED_AGENTS = fileURLToPath(new URL('../changed-agents', import.meta.url));

/**
 * Tasks whose histories are kept in test/histories: running tasks of a deployed server must go on with
 * newer code. `SAVE_HISTORIES=1` records them anew; do that only for a new plan, never to make a failure go away
 * (docs/decisions and CONTRIBUTING say what to do instead).
 */
const PLANS: Record<string, { steps: Step[]; replies?: string[]; cancel?: boolean }> = {
  simple: { steps: [{ do: 'complete', text: 'ok' }] },
  question: { steps: [{ do: 'ask', text: '?' }, { do: 'complete' }], replies: ['yes'] },
  'two-questions-and-a-follow-up': {
    steps: [{ do: 'ask', text: '1' }, { do: 'askNumber', text: '2' }, { do: 'received' }, { do: 'complete' }],
    replies: ['a', 'not a number', '4'],
  },
  'model-turns': {
    steps: [
      { do: 'working', text: 'thinking' },
      { do: 'generate', prompt: 'say: one two three' },
    ],
  },
  parallel: {
    steps: [
      {
        do: 'parallel',
        branches: [
          [
            { do: 'activity', millis: 20 },
            { do: 'artifact', text: 'a' },
          ],
          [
            { do: 'sleep', millis: 10 },
            { do: 'stream', pieces: ['x', 'y'] },
          ],
        ],
      },
      { do: 'complete' },
    ],
  },
  background: {
    steps: [
      { do: 'background', millis: 30, text: 'bg' },
      { do: 'complete', text: 'ok' },
    ],
  },
  memory: { steps: [{ do: 'history' }, { do: 'references' }, { do: 'complete' }] },
  'fails-after-retries': { steps: [{ do: 'throwingActivity' }] },
  rejected: { steps: [{ do: 'reject', text: 'no' }] },
  cancelled: {
    steps: [
      { do: 'working', text: 'a' },
      { do: 'sleep', millis: 60_000 },
    ],
    cancel: true,
  },
  'many-steps': {
    steps: [{ do: 'repeat', times: 30, steps: [{ do: 'activity', millis: 0 }] }, { do: 'complete' }],
  },
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'a2a-temporal-replay-'));
  if (process.env['SAVE_HISTORIES'] === '1') await save();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function save(): Promise<void> {
  const stack = await startStack();
  for (const [name, { steps, replies = [], cancel }] of Object.entries(PLANS)) {
    const atOnce = cancel === true ? { configuration: { returnImmediately: true } } : {};
    const { id } = await stack.rpc.send([script(...steps)], atOnce);
    for (const reply of replies) await stack.rpc.send(reply, { taskId: id });
    if (cancel === true) {
      await stack.rpc.until(id, ['TASK_STATE_WORKING']);
      await stack.rpc.ok('CancelTask', { id });
    }
    const handle = stack.client.workflow.getHandle(id);
    await handle.result();
    // Stack traces name the folder that this happens to run in.
    const json = historyToJSON(await handle.fetchHistory()).replaceAll(ROOT, '/srv/');
    await writeFile(join(HISTORIES, `${name}.json`), json);
  }
  await stack.close();
}

async function savedHistories(): Promise<{ workflowId: string; history: unknown }[]> {
  const files = (await readdir(HISTORIES)).filter((name) => name.endsWith('.json'));
  return Promise.all(
    files.map(async (name) => ({
      workflowId: name,
      history: historyFromJSON(JSON.parse(await readFile(join(HISTORIES, name), 'utf8'))),
    })),
  );
}

async function bundleOf(agents: string): Promise<Awaited<ReturnType<typeof bundleWorkflows>>> {
  const files = (await loadAgents(agents)).map(({ file }) => file);
  return bundleWorkflows({ agentFiles: files, folder: join(folder, agents.replaceAll(/\W/g, '-')) });
}

test('F10 X47 every saved history replays on this code', async () => {
  const histories = await savedHistories();
  expect(histories.map(({ workflowId }) => workflowId).sort()).toEqual(
    Object.keys(PLANS)
      .map((name) => `${name}.json`)
      .sort(),
  );
  expect(await replayHistories(await bundleOf(AGENTS), histories)).toEqual([]);
});

test('F10 the replay test can fail: the histories do not replay on an agent that was changed carelessly', async () => {
  const failures = await replayHistories(await bundleOf(CHANGED_AGENTS), await savedHistories());
  const failed = failures.map(({ workflowId }) => workflowId);
  expect(failed).toEqual(expect.arrayContaining(['model-turns.json', 'parallel.json', 'many-steps.json']));
});

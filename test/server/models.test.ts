import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Task } from '../../core/task.js';
import { script, type Step } from '../agents/script.js';
import { serveAs, SPEAKERS } from '../model/speakers.js';
import { Command } from '../support/command.js';
import { RpcClient } from '../support/rpc-client.js';

/** Several models from a file, in a server of its own, with everything logged. */
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'a2a-models-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const KEYS = {
  CHAT_KEY: `sk-chat-${randomUUID()}`,
  OPENAI_KEY: `sk-o-${randomUUID()}`,
  ANTHROPIC_KEY: `sk-a-${randomUUID()}`,
};
const TEAM = `team-${randomUUID()}`;
const NAMES = ['CHAT_KEY', 'OPENAI_KEY', 'ANTHROPIC_KEY'] as const;

test('E02 F07 A17 models of three providers answer from one file, and no key is in logs, journal, histories or answers', async () => {
  const servers = await Promise.all(
    SPEAKERS.map((speaker, at) =>
      serveAs(
        speaker,
        {
          tokens: ['Let me look. '],
          toolCalls: [{ name: 'look', arguments: '{"at":"Łódź"}' }],
          usage: { input: 100, output: 10, cached: 60 },
        },
        { tokens: ['It is ', 'there.'], usage: { input: 150, output: 5, cached: 100 } },
        // What some do: they quote the key that they refuse.
        {
          status: 401,
          body: speaker.error('authentication_error', `Bad key ${KEYS[NAMES[at] ?? 'CHAT_KEY']}`),
        },
        { toolCalls: [{ name: 'look', arguments: '{"at' }], cutOff: true, usage: { input: 70, output: 7 } },
      ),
    ),
  );
  const models = SPEAKERS.map(
    ({ provider }, at) => `  the-${provider}:
    provider: ${provider}
    model: test-model
    baseURL: ${servers[at]?.baseURL}
    apiKey: \${${NAMES[at]}}
    headers: { X-Team-Token: "Team \${TEAM}" }`,
  );
  const file = join(folder, 'models.yaml');
  await writeFile(file, `default: the-openai\nmodels:\n${models.join('\n')}\n`);
  const command = new Command(['start'], {
    ...KEYS,
    TEAM,
    MODELS_FILE: file,
    PORT: '0',
    DATA_DIR: join(folder, 'data'),
    AGENTS_DIR: fileURLToPath(new URL('../agents', import.meta.url)),
    DEFAULT_AGENT: 'script',
    LOG_LEVEL: 'trace',
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    TEMPORAL_TASK_QUEUE: `models-${folder.slice(-6)}`,
  });
  const shown: string[] = [];
  const taskIds: string[] = [];
  try {
    const [, url = ''] = await command.prints(/API +(http:\S+)/);
    const rpc = new RpcClient(`${url}/`);
    const run = async (...steps: Step[]): Promise<Task> => {
      const task = await rpc.send([script(...steps)]);
      taskIds.push(task.id);
      shown.push(JSON.stringify(task));
      return task;
    };
    for (const { provider } of SPEAKERS) {
      const generate = {
        do: 'generate',
        prompt: 'Where is it?',
        tool: 'look',
        model: `the-${provider}`,
      } as const;
      const good = await run(generate);
      expect(good.artifacts?.at(-1)?.parts).toEqual([{ text: 'It is there.' }]);
      expect(good.metadata?.['$usage']).toMatchObject({
        model: 'test-model',
        inputTokens: 250,
        outputTokens: 15,
        cachedInputTokens: 160,
        totalTokens: 265,
      });
      const refused = await run(generate);
      expect(refused.status.state).toBe('TASK_STATE_FAILED');
      expect(JSON.stringify(refused.status.message)).toContain('HTTP 401 (authentication_error)');
      const cutOff = await run(generate);
      expect(cutOff.status.state).toBe('TASK_STATE_FAILED');
      // It failed, and was paid for.
      expect(cutOff.metadata?.['$usage']).toMatchObject({ inputTokens: 70, outputTokens: 7 });
    }
    // The default one is asked by nobody's name.
    await run({ do: 'generate', prompt: 'Hi' });
    expect(servers[1]?.requests).toHaveLength(5);
  } finally {
    await command.stop();
  }
  for (const [at, { keyHeader }] of SPEAKERS.entries()) {
    const sent = servers[at]?.requests[0]?.headers;
    expect(sent?.[keyHeader.name]).toContain(KEYS[NAMES[at] ?? 'CHAT_KEY']);
    expect(sent?.['x-team-token']).toBe(`Team ${TEAM}`);
  }

  const perTask = await historiesOf(taskIds);
  // What holds for all turns enters the history once, however many turns there are.
  expect(perTask[0]?.match(/"position":2/g)).toHaveLength(1);
  expect(perTask[0]?.match(/Gives back/g)).toHaveLength(1);
  const histories = perTask.join('');
  const files = await filesBelow(join(folder, 'data'));
  expect(files.some((content) => content.includes('Where is it?'))).toBe(true);
  // The scan sees what is in payloads.
  for (const seen of ['Where is it?', 'the-anthropic', 'HTTP 401']) expect(histories).toContain(seen);
  expect(command.output.length + files.join('').length).toBeGreaterThan(10_000);
  for (const secret of [...Object.values(KEYS), TEAM]) {
    for (const text of [command.output, ...shown, histories, ...files])
      expect(text.includes(secret)).toBe(false);
  }
});

test('E02 F01 a models file that is wrong stops the start with file, line and place, and shows no value', async () => {
  const file = join(folder, 'wrong.yaml');
  await writeFile(file, 'models:\n  fast:\n    provider: openai\n    model: m\n    apiKey: sk-in-the-file\n');
  const command = new Command(['start'], { MODELS_FILE: file, DATA_DIR: join(folder, 'other'), PORT: '0' });
  const { code } = await command.ended();
  expect(code).toBe(1);
  expect(command.output).toContain(`${file}:5: models.fast.apiKey: expected \${NAME}`);
  expect(command.output).not.toContain('sk-in-the-file');
});

/** As bytes, in which payloads are as they are. */
async function historiesOf(taskIds: string[]): Promise<string[]> {
  const connection = await Connection.connect({ address: inject('temporalAddress') });
  try {
    const client = new Client({ connection });
    const texts: string[] = [];
    for (const id of taskIds) {
      const history = await client.workflow.getHandle(id).fetchHistory();
      texts.push(
        Buffer.from(proto.temporal.api.history.v1.History.encode(history).finish()).toString('latin1'),
      );
    }
    return texts;
  } finally {
    await connection.close();
  }
}

async function filesBelow(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(files.map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1')));
}

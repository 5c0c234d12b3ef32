import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { expect, onTestFinished } from 'vitest';
import { createGenerate, type GenerateDeps } from '../../activities/model/generate.js';
import type { Models } from '../../activities/model/configured-model.js';
import { createModels, type ModelSettings } from '../../activities/model/models.js';
import { ANONYMOUS } from '../../core/caller.js';
import type { GenerateCall, GenerateResult } from '../../core/generation.js';
import type { Journal, StoredEvent } from '../../core/journal.js';
import type { Artifact, Message, Part, TaskArtifactUpdateEvent } from '../../core/task.js';
import { openSqliteJournal } from '../../journal/index.js';
import { type ModelReply, modelServer, type ModelServer } from '../support/model-server.js';
import { type ChatBody, chatProtocol } from '../support/protocols/chat.js';

/** Secret of the tests' endpoint: no message, event or log may show it. */
export const API_KEY = 'sk-never-show-this';

/** A task in a real journal, and the model activity on it. */
export interface Turns {
  journal: Journal;
  call: GenerateCall;
  /** One attempt of the activity, as a worker runs it. */
  attempt(options?: Partial<GenerateCall> & { number?: number; activityId?: string }): Attempt;
  /** Updates of the artifact that the call streams into. */
  updates(): Promise<TaskArtifactUpdateEvent[]>;
  artifact(): Promise<Artifact | undefined>;
}

export interface Attempt {
  result: Promise<GenerateResult>;
  environment: MockActivityEnvironment;
}

export async function openJournal(): Promise<Journal> {
  const folder = await mkdtemp(join(tmpdir(), 'a2a-model-'));
  const journal = await openSqliteJournal({ file: join(folder, 'journal.db') });
  onTestFinished(async () => {
    await journal.close();
    await rm(folder, { recursive: true });
  });
  return journal;
}

/** A server of chat completions for one test; the model named `test-model` is the default. */
export async function serve(...replies: ModelReply[]): Promise<ModelServer<ChatBody>> {
  const server = await modelServer<ChatBody>(chatProtocol, replies);
  onTestFinished(() => server.close());
  return server;
}

export function modelsAt(server: Pick<ModelServer, 'baseURL'>, settings: ModelSettings = {}): Models {
  return createModels({
    endpoints: [{ baseURL: server.baseURL, apiKey: API_KEY, model: 'test-model' }],
    ...settings,
  });
}

/** Failures are what many tests are about. */
const QUIET = new DefaultLogger('ERROR');

let tasks = 0;

export async function openTurns(
  models: Models,
  deps: Partial<GenerateDeps> = {},
  { message = [{ text: 'Hi' }], contextId = `ctx.${++tasks}` }: { message?: Part[]; contextId?: string } = {},
): Promise<Turns> {
  const journal = (deps.journal as Journal | undefined) ?? (await openJournal());
  const taskId = `task.${++tasks}`;
  await startTask(journal, taskId, contextId, message);
  const generate = createGenerate({ journal, models, ...deps });
  const call: GenerateCall = {
    taskId,
    contextId,
    conversation: 'g1',
    position: 0,
    prompt: [{ text: 'Say something' }],
    artifact: { artifactId: 'art.1', name: 'answer', streamKey: 'g1.0' },
  };
  const updates = async () => {
    const events: StoredEvent[] = await journal.readEvents(taskId, 0, 10_000);
    return events.flatMap(({ event }) => ('artifactUpdate' in event ? [event.artifactUpdate] : []));
  };
  return {
    journal,
    call,
    attempt({ number = 1, activityId = '5', ...changes } = {}) {
      const environment = new MockActivityEnvironment({ attempt: number, activityId }, { logger: QUIET });
      const result = environment.run<[GenerateCall], GenerateResult, typeof generate>(generate, {
        ...call,
        ...changes,
      });
      // A test looks at the failure later than it may happen.
      result.catch(() => undefined);
      return { result, environment };
    },
    updates,
    artifact: async () => (await journal.readAny(taskId))?.task.artifacts?.[0],
  };
}

/** Accepts a task and takes it to WORKING, so that artifacts may follow. */
export async function startTask(
  journal: Journal,
  taskId: string,
  contextId: string,
  parts: Part[],
): Promise<void> {
  const message: Message = { messageId: `m-${taskId}`, role: 'ROLE_USER', parts };
  await journal.accept({
    taskId,
    contextId,
    caller: ANONYMOUS,
    agent: 'a',
    message,
    options: {},
    visible: true,
  });
  await journal.append({ taskId, prevKey: '', entries: [{ kind: 'status', state: 'TASK_STATE_WORKING' }] });
}

/** The text that a reader has who applies each update as it comes. */
export function readerText(updates: TaskArtifactUpdateEvent[]): string {
  return updates.reduce((text, { append, artifact }) => {
    const fragment = artifact.parts.map((part) => ('text' in part ? part.text : '')).join('');
    return append ? text + fragment : fragment;
  }, '');
}

/** How the attempt failed, as Temporal sees it. */
export async function failure({ result }: Attempt): Promise<ApplicationFailure> {
  const error = await result.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ApplicationFailure);
  return error as ApplicationFailure;
}

/** Tokens of a text, `w0 w1 …`. */
export function words(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `w${i} `);
}

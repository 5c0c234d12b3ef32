import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Conversation } from './converse.js';
import type { Report } from './report.js';

const COMPLETED = 'TASK_STATE_COMPLETED';
const INPUT_REQUIRED = 'TASK_STATE_INPUT_REQUIRED';
const TWENTY = Array.from({ length: 20 }, (_, index) => `${index + 1} `).join('');
/** Of 256 × 4096 bytes, each value in turn. */
const MEBIBYTE_SHA256 = 'fbbab289f7f94b25736c58be46a994c441fd02552cc6022352e3d86d2fab7c83';

const STREAMED = {
  id: expect.stringMatching(/^task\./),
  first: 'task',
  last: COMPLETED,
  // One for each token, and the whole.
  updates: 6,
  text: '1 2 3 4 5 ',
};
const FILE = { name: 'file.bin', type: 'application/octet-stream', same: true, sha256: MEBIBYTE_SHA256 };
/** Data that is an object, which every version knows. */
const OBJECTS = [{ list: [1, [null, 'two']] }, { deep: [{ null: null }] }];
export const ECHOED_OBJECTS = { back: OBJECTS };

/** Of a webhook that was made and read. */
export const REGISTERED = {
  created: 'kept',
  url: expect.stringMatching(/^http:/),
  token: 'secret',
  taskId: expect.stringMatching(/^task\./),
};

/** The names that the client has for what was refused; by the steps of `errors`. */
export const REFUSALS = {
  unknown: 'TaskNotFoundError',
  cancelFinished: 'TaskNotCancelableError',
  sendFinished: 'UnsupportedOperationError',
  streamFinished: 'UnsupportedOperationError',
  subscribeFinished: 'UnsupportedOperationError',
  pageSize: 'InvalidParamsError',
  version: 'VersionNotSupportedError',
};

const HISTORY = ['ask', 'What now?', 'enough'];

/** What else than the usual a client shows, by step: undefined where it has no such step. */
export type Otherwise = Partial<Record<keyof Report, unknown>>;

/** What any client of 0.3 shows otherwise: answers come whole, and there is no filtered list. */
export const IN_0_3: Otherwise = {
  card: {
    name: 'Conformance agent',
    streaming: true,
    interfaces: expect.arrayContaining([expect.stringContaining('JSONRPC 0.3')]),
  },
  streaming: { ...STREAMED, updates: 1 },
};

/** What any client of 0.3 shows otherwise over gRPC, whose history of length zero is one without a limit. */
export const IN_0_3_GRPC: Otherwise = {
  ...IN_0_3,
  history: { all: HISTORY, none: HISTORY, newest: ['enough'] },
};

/** The tests of one conversation: what a client has to have seen, whatever its language and binding. */
export function expectConversation(hold: () => Promise<Conversation>, otherwise: Otherwise = {}): void {
  let conversation: Conversation;
  beforeAll(async () => {
    conversation = await hold();
  });
  afterAll(() => conversation.receiver.close());

  const expectStep = (step: keyof Report, expected: unknown) => {
    const { report } = conversation;
    expect(report[step]).toEqual(Object.hasOwn(otherwise, step) ? otherwise[step] : expected);
  };

  test('C13 C06 it reads the card', () => {
    const interfaces = expect.arrayContaining(['JSONRPC 1.0', 'HTTP+JSON 1.0', 'GRPC 1.0']);
    expectStep('card', { name: 'Conformance agent', streaming: true, interfaces });
  });

  test('C13 C01 a send waits for the end, or returns at once', () => {
    expectStep('blocking', { state: COMPLETED, text: 'done: hello' });
    expectStep('immediately', { state: expect.stringMatching(/SUBMITTED|WORKING/) });
  });

  test('C13 B03 a stream begins with the task, adds up to the whole text and ends', () => {
    expectStep('streaming', STREAMED);
  });

  test('C13 A03 a direct message is one, streamed or not', () => {
    expectStep('direct', { text: 'A direct message', streamed: 'A direct message' });
  });

  test('C13 A14 a question is asked and answered, in a send and in a stream', () => {
    expectStep('question', {
      asked: INPUT_REQUIRED,
      question: 'What now?',
      answered: { state: COMPLETED, text: 'You said: forty-two' },
      sameTask: true,
      streamed: INPUT_REQUIRED,
      repliedByStream: COMPLETED,
    });
  });

  test('C13 A16 a running task is cancelled', () => {
    expectStep('cancel', { state: 'TASK_STATE_CANCELED', read: 'TASK_STATE_CANCELED' });
  });

  test('C13 A12 the history is as long as it asks for', () => {
    expectStep('history', { all: HISTORY, none: [], newest: ['enough'] });
  });

  test('C13 C03 it lists by context and state, and page by page', () => {
    expectStep('list', {
      total: 3,
      states: [INPUT_REQUIRED, COMPLETED, COMPLETED],
      pages: [2, 1],
      inOrder: true,
      lastToken: '',
      asking: [INPUT_REQUIRED],
      future: 0,
      artifacts: [['done: hello'], ['done: hello']],
    });
  });

  test('C13 B08 a second client follows a running task without a gap', () => {
    const id = expect.stringMatching(/^task\./);
    const read = { state: COMPLETED, text: TWENTY };
    const updates = expect.any(Number);
    expectStep('subscribe', { id, first: 'task', last: COMPLETED, updates, text: TWENTY, read });
  });

  test('C13 C11 data of every shape and a file of a mebibyte come back whole', () => {
    expectStep('data', { back: [...OBJECTS, [1, [null, 'two']], 'text', 0.5, false] });
    expectStep('file', FILE);
    expectStep('nothing', { data: null });
  });

  test('C13 A05 failed and rejected tasks are answers, not errors', () => {
    expectStep('endings', { fail: 'TASK_STATE_FAILED', reject: 'TASK_STATE_REJECTED' });
  });

  test('C13 C09 it knows each refusal by its name', () => {
    expectStep('errors', REFUSALS);
  });

  test('C13 C04 C05 it registers webhooks, and they are told of the end', async () => {
    expectStep('push', { ...REGISTERED, both: ['gone', 'kept'], one: ['kept'] });
    const { received } = conversation.receiver;
    await expect.poll(() => received.at(-1)?.body).toMatch(/"(TASK_STATE_COMPLETED|completed)"/);
    const tokens = new Set(received.map(({ headers }) => headers['x-a2a-notification-token']));
    expect(tokens).toContain('secret');
    // The one that was taken away had no token.
    if (!Object.hasOwn(otherwise, 'push')) expect(tokens.size).toBe(1);
  });
}

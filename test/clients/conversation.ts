import { expect, test } from 'vitest';
import type { Report } from './report.js';

const COMPLETED = 'TASK_STATE_COMPLETED';
const INPUT_REQUIRED = 'TASK_STATE_INPUT_REQUIRED';
const TWENTY = Array.from({ length: 20 }, (_, index) => `${index + 1} `).join('');
/** Of 256 × 4096 bytes, each value in turn. */
const MEBIBYTE_SHA256 = 'fbbab289f7f94b25736c58be46a994c441fd02552cc6022352e3d86d2fab7c83';

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

export interface Expectations {
  /** What the client speaks, as in `JSONRPC 1.0`. */
  spoken: string;
  /** Where the client itself does otherwise than the specification, by step: what it shows instead. */
  own?: Partial<Record<keyof Report, unknown>>;
}

/** The tests of one conversation: what a client has to have seen, whatever its language and binding. */
export function expectConversation(report: () => Report, { spoken, own = {} }: Expectations): void {
  const expectStep = (step: keyof Report, expected: unknown) => {
    expect(report()[step]).toEqual(own[step] ?? expected);
  };

  test('C13 C06 it reads the card', () => {
    const interfaces = expect.arrayContaining([spoken]);
    expectStep('card', { name: 'Conformance agent', streaming: true, interfaces });
  });

  test('C13 C01 a send waits for the end, or returns at once', () => {
    expectStep('blocking', { state: COMPLETED, text: 'done: hello' });
    expectStep('immediately', { state: expect.stringMatching(/SUBMITTED|WORKING/) });
  });

  test('C13 B03 a stream begins with the task, adds up to the whole text and ends', () => {
    const id = expect.stringMatching(/^task\./);
    expectStep('streaming', { id, first: 'task', last: COMPLETED, updates: 6, text: '1 2 3 4 5 ' });
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
    expectStep('history', { all: ['ask', 'What now?', 'enough'], none: [], newest: ['enough'] });
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
    expectStep('echo', {
      data: [[1, [null, 'two']], { deep: [{ null: null }] }, 'text', 0.5, false],
      file: { name: 'file.bin', type: 'application/octet-stream', same: true, sha256: MEBIBYTE_SHA256 },
    });
    expectStep('nothing', { data: null });
  });

  test('C13 A05 failed and rejected tasks are answers, not errors', () => {
    expectStep('endings', { fail: 'TASK_STATE_FAILED', reject: 'TASK_STATE_REJECTED' });
  });

  test('C13 C09 it knows each refusal by its name', () => {
    expectStep('errors', REFUSALS);
  });

  test('C13 C08 it is told that there are no webhooks', () => {
    expectStep('push', { failed: expect.stringContaining('PushNotificationNotSupportedError') });
  });
}

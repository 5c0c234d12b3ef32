import type { TaskContext } from '../../index.js';

/** What an agent does with one task. */
export type Act = (task: TaskContext) => Promise<void>;

/** Twice the kit's wait for a stream. */
const RESUBSCRIBE_MILLIS = 4_000;

const FILE = { raw: 'dGNr', filename: 'output.txt', mediaType: 'text/plain' };

/** The official kit's scenarios (its folder `scenarios/`), by what a message's id begins with. */
const SCENARIOS: Readonly<Record<string, Act>> = {
  'tck-complete-task': (task) => task.complete(undefined, { message: 'Hello from TCK' }),
  'tck-artifact-text': (task) => task.complete('Generated text content'),
  'tck-artifact-file': (task) => task.complete([FILE]),
  'tck-artifact-file-url': (task) =>
    task.complete([
      { url: 'https://example.com/output.txt', filename: 'output.txt', mediaType: 'text/plain' },
    ]),
  'tck-artifact-data': (task) => task.complete([{ data: { key: 'value', count: 42 } }]),
  'tck-message-response': (task) => task.reply('Direct message response'),
  // Each reply says by its own id what comes next.
  'tck-input-required': async (task) => {
    const { messageId } = await task.askMessage('More, please');
    const next = scenarioOf(messageId);
    await (next === undefined ? task.complete() : next(task));
  },
  'tck-reject-task': (task) => Promise.resolve(task.reject('rejected')),
  'tck-stream-001': streamed('Stream hello from TCK'),
  'tck-stream-002': (task) => task.complete(),
  'tck-stream-003': streamed('Stream task lifecycle'),
  'tck-stream-ordering-001': streamed('Ordered output'),
  'tck-stream-artifact-text': streamed('Streamed text content'),
  'tck-stream-artifact-file': async (task) => {
    await task.working('Working');
    await task.complete([FILE]);
  },
  'tck-stream-artifact-chunked': async (task) => {
    await task.working('Working');
    const stream = task.stream({ name: 'chunks' });
    await stream.write('chunk-1 ');
    await stream.write('chunk-2');
    await stream.close();
    await task.complete();
  },
  'test-resubscribe-message-id': async (task) => {
    await task.working('Working');
    await task.sleep(RESUBSCRIBE_MILLIS);
    await task.complete();
  },
};

/** The scenario with the longest prefix that fits: `tck-artifact-file-url-1` is no `tck-artifact-file`. */
export function scenarioOf(messageId: string): Act | undefined {
  const [prefix] = Object.keys(SCENARIOS)
    .filter((candidate) => messageId.startsWith(candidate))
    .sort((a, b) => b.length - a.length);
  return prefix === undefined ? undefined : SCENARIOS[prefix];
}

function streamed(text: string): Act {
  return async (task) => {
    await task.working('Working');
    await task.complete(text);
  };
}

import { textOf } from '../../core/task.js';
import type { Act } from './scenarios.js';
import type * as activities from './activities.js';

/** What the first line of a message can ask for; numbers follow its name. */
const COMMANDS: Readonly<Record<string, (...numbers: number[]) => Act>> = {
  /** `wait MS`: WORKING, silence, COMPLETED. */
  wait:
    (millis = 0) =>
    async (task) => {
      await task.sleep(millis);
      await task.complete('waited');
    },
  /** INPUT_REQUIRED; a reply of `again` asks again, any other completes. */
  ask: () => async (task) => {
    let reply: string;
    do reply = await task.ask('What now?');
    while (reply === 'again');
    await task.complete(`You said: ${reply}`);
  },
  /** AUTH_REQUIRED. */
  auth: () => async (task) => {
    await task.requireAuth({ connector: 'example', url: 'https://auth.example/authorize' });
    await task.complete('authorised');
  },
  /** `tokens N EVERY`: one artifact in N updates, one every so many milliseconds. */
  tokens:
    (count = 1, every = 0) =>
    async (task) => {
      const stream = task.stream({ name: 'tokens' });
      for (let token = 1; token <= count; token++) {
        await stream.write(`${token} `);
        if (every > 0) await task.sleep(every);
      }
      await stream.close();
      await task.complete();
    },
  /** `burst N`: N WORKING updates in one go. */
  burst:
    (count = 1) =>
    async (task) => {
      await Promise.all(Array.from({ length: count }, (_, index) => task.working(`burst ${index + 1}`)));
      await task.complete();
    },
  /** One artifact extended, then replaced; and one that an extension begins. */
  artifacts: () => async (task) => {
    const stream = task.stream({ name: 'first' });
    await stream.write('one');
    await stream.write('two');
    await stream.close();
    await task.artifact({ artifactId: stream.artifactId, name: 'first', content: 'three' });
    await task.artifact({ artifactId: 'unseen', append: true, name: 'second', content: 'four' });
    await task.complete();
  },
  /** The parts that were received, as an artifact. */
  echo: () => (task) => task.complete(task.message.parts, { name: 'echo' }),
  /** The request's metadata, as an artifact. */
  metadata: () => (task) => task.complete([{ data: task.metadata }], { name: 'metadata' }),
  /** `busy N EVERY`: N updates; what follow-ups said meanwhile is the answer. */
  busy:
    (count = 1, every = 100) =>
    async (task) => {
      const said: string[] = [];
      for (let at = 1; at <= count; at++) {
        await task.working(`busy ${at}`);
        await task.sleep(every);
        said.push(...task.received().map(textOf));
      }
      await task.complete([{ data: said }], { name: 'received' });
    },
  /** `stubborn MS`: an activity that takes no notice of a cancel. */
  stubborn:
    (millis = 0) =>
    async (task) => {
      await task.activities<typeof activities>({ maximumAttempts: 1 }).ignoreCancel({ millis });
      await task.complete('finished');
    },
  fail: () => (task) => Promise.resolve(task.fail('It failed, as it was told to')),
  reject: () => (task) => Promise.resolve(task.reject('It was rejected, as it was asked for')),
  /** A direct Message instead of a task. */
  message: () => (task) => task.reply('A direct message'),
};

/** What the first line asks for; undefined where it asks for nothing. */
export function commandOf(text: string): Act | undefined {
  const [name = '', ...words] = (text.split('\n')[0] ?? '').trim().split(/\s+/);
  const numbers = words.map(Number);
  if (!Object.hasOwn(COMMANDS, name) || numbers.some(Number.isNaN)) return undefined;
  return COMMANDS[name]?.(...numbers);
}

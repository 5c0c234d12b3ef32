import { subscribeToTask } from './requests.js';
import { openStream } from './sse.js';

interface Subscriber {
  /** Sequence numbers as they came. */
  seen: number[];
  done: Promise<void>;
  close: () => void;
}

let subscribers: Subscriber[] = [];

/** Subscribes so many times to one task. Resolves when each has its first frame. */
export async function openSubscribers(options: {
  url: string;
  taskId: string;
  count: number;
}): Promise<void> {
  const body = subscribeToTask(options.taskId);
  for (let opened = 0; opened < options.count; opened += 50) {
    const batch = Math.min(50, options.count - opened);
    await Promise.all(Array.from({ length: batch }, () => open(options.url, body)));
  }
}

function open(url: string, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const seen: number[] = [];
    const { done, close } = openStream(url, body, ({ id }) => {
      seen.push(Number(id));
      resolve();
    });
    done.catch(reject);
    subscribers.push({ seen, done, close });
  });
}

/** Waits until every stream has ended. `complete` have every sequence from their first frame on, in order. */
export async function subscribersResult(): Promise<{ complete: number; total: number; lastSeq: number }> {
  await Promise.all(subscribers.map(({ done }) => done));
  const lastSeq = Math.max(...subscribers.map(({ seen }) => seen.at(-1) ?? 0));
  const complete = subscribers.filter(
    ({ seen }) =>
      seen.at(-1) === lastSeq &&
      seen.every((seq, index) => index === 0 || seq === (seen[index - 1] ?? 0) + 1),
  ).length;
  const total = subscribers.length;
  subscribers = [];
  return { complete, total, lastSeq };
}

export async function closeSubscribers(): Promise<void> {
  const closing = subscribers;
  subscribers = [];
  for (const { close } of closing) close();
  await Promise.allSettled(closing.map(({ done }) => done));
}

import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from './http.js';
import { getTask, sendMessage } from './requests.js';

/** How long a closed loop goes on: so many requests, or so many seconds. */
export interface Extent {
  concurrency: number;
  count?: number;
  seconds?: number;
  /** Milliseconds that each sender rests after an answer; none by default. */
  rest?: number;
}

export interface LoopResult {
  /** Milliseconds of each request. */
  latencies: number[];
  perSecond: number;
}

export interface SendResult extends LoopResult {
  taskIds: string[];
}

/** Sends messages: each a new task, or replies to the given ones. Each answer must contain `expect`. */
export async function send(
  options: Extent & {
    url: string;
    text: string;
    expect: string;
    returnImmediately?: boolean;
    taskIds?: string[];
    /** Receiver of a webhook on each new task. */
    push?: string;
  },
): Promise<SendResult> {
  const { url, text, expect, returnImmediately = false, push } = options;
  const replies = options.taskIds?.slice();
  const taskIds: string[] = [];
  const extent = replies ? { ...options, count: replies.length } : options;
  const result = await closedLoop(extent, url, async (connection) => {
    const taskId = replies?.pop();
    const answer = await connection.post(
      sendMessage({ text, returnImmediately, push, ...(taskId !== undefined && { taskId }) }),
    );
    check(answer, expect);
    taskIds.push(taskId ?? taskIdIn(answer));
  });
  return { ...result, taskIds };
}

/** Sends the given bodies over and over. Each answer must contain `expect`. */
export async function call(
  options: Extent & { url: string; bodies: string[]; expect: string },
): Promise<LoopResult> {
  let next = 0;
  return closedLoop(options, options.url, async (connection) => {
    const body = options.bodies[(next += 1) % options.bodies.length] ?? '';
    const answer = await connection.post(body);
    check(answer, options.expect);
  });
}

/** Waits until the tasks have completed, so that their work does not run into the next measurement. */
export async function untilCompleted(options: { url: string; taskIds: string[] }): Promise<void> {
  const connection = await Connection.open(options.url);
  for (const taskId of options.taskIds) {
    while (!(await connection.post(getTask(taskId))).includes('TASK_STATE_COMPLETED')) await delay(20);
  }
  connection.close();
}

async function closedLoop(
  extent: Extent,
  url: string,
  once: (connection: Connection) => Promise<void>,
): Promise<LoopResult> {
  const latencies: number[] = [];
  const started = performance.now();
  const deadline = started + (extent.seconds ?? Infinity) * 1_000;
  let left = extent.count ?? Infinity;
  const sender = async () => {
    const connection = await Connection.open(url);
    try {
      while (left > 0 && performance.now() < deadline) {
        left -= 1;
        const before = performance.now();
        await once(connection);
        latencies.push(performance.now() - before);
        if (extent.rest !== undefined) await delay(extent.rest);
      }
    } finally {
      connection.close();
    }
  };
  await Promise.all(Array.from({ length: extent.concurrency }, sender));
  return { latencies, perSecond: latencies.length / ((performance.now() - started) / 1_000) };
}

function check(answer: string, expect: string): void {
  if (!answer.includes(expect)) throw new Error(`expected ${expect}: ${answer.slice(0, 500)}`);
}

function taskIdIn(answer: string): string {
  const { result } = JSON.parse(answer) as { result?: { task?: { id: string } } };
  if (result?.task === undefined) throw new Error(`no task: ${answer.slice(0, 500)}`);
  return result.task.id;
}

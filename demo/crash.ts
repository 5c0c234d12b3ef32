import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { StreamResponse } from '../core/task.js';
import { Processes } from './processes.js';

/**
 * `npm run demo:crash`: a story streams from the model to a reader while worker, API and Temporal, each a
 * process of its own, are killed with SIGKILL and started again. The reader comes back with
 * Last-Event-ID, and proves that it saw every event once and no text twice.
 */

interface Seen {
  seqs: number[];
  texts: Map<string, string>;
  attempts: number;
  state: string;
}

const NAMES = { worker: 'worker', api: 'API', temporal: 'Temporal' } as const;

const say = (line: string): void => console.log(line);

async function main(): Promise<void> {
  say('Starting Temporal, a worker and the API, each in its own process …');
  const processes = await Processes.start({ DEFAULT_AGENT: 'storyteller', SCRIPTED_MODEL_DELAY: '60ms' });
  try {
    const url = `${processes.url}/agents/storyteller/a2a/rest/message:stream`;
    const body = JSON.stringify({
      message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'a lighthouse' }] },
    });
    const key = randomUUID();
    const seen: Seen = { seqs: [], texts: new Map(), attempts: 0, state: '' };
    const reading = readToTheEnd(url, body, key, seen);
    await until(() => seen.seqs.length >= 8);
    for (const role of ['worker', 'api', 'temporal'] as const) {
      const before = seen.seqs.length;
      const started = Date.now();
      await processes.kill(role);
      say(`\n  ✗ ${NAMES[role]} killed (SIGKILL) after event ${seen.seqs.at(-1)}`);
      if (role !== 'temporal') await processes.startRole(role);
      await until(() => seen.seqs.length > before || isOver(seen));
      say(`\n  ✓ events go on ${((Date.now() - started) / 1000).toFixed(1)} s later`);
    }
    await reading;
    await check(processes, seen);
  } finally {
    await processes.stop();
  }
}

/** Reads the stream, and comes back after every break with the last id, as a browser's EventSource would. */
async function readToTheEnd(url: string, body: string, key: string, seen: Seen): Promise<void> {
  while (!isOver(seen)) {
    seen.attempts += 1;
    const last = seen.seqs.at(-1);
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'idempotency-key': key,
          ...(last !== undefined && { 'last-event-id': String(last) }),
        },
        body,
      });
      if (!response.ok || !response.body) throw new Error(`HTTP ${response.status}`);
      const parser = createParser({ onEvent: (event) => take(event, seen) });
      const decoder = new TextDecoder();
      for await (const chunk of response.body) {
        parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }));
      }
    } catch {
      await delay(200);
    }
  }
}

function take({ id, data }: EventSourceMessage, seen: Seen): void {
  const event = JSON.parse(data) as StreamResponse;
  seen.seqs.push(Number(id));
  if ('statusUpdate' in event) seen.state = event.statusUpdate.status.state;
  if (!('artifactUpdate' in event)) return;
  const { artifact, append, lastChunk } = event.artifactUpdate;
  const text = artifact.parts.map((part) => ('text' in part ? part.text : '')).join('');
  const before = append === true ? (seen.texts.get(artifact.artifactId) ?? '') : '';
  seen.texts.set(artifact.artifactId, before + text);
  if (lastChunk !== true) process.stdout.write(text);
}

function isOver(seen: Seen): boolean {
  return /COMPLETED|FAILED|CANCELED|REJECTED/.test(seen.state);
}

async function until(holds: () => boolean): Promise<void> {
  for (let patience = 0; patience < 3_000 && !holds(); patience++) await delay(20);
  if (!holds()) throw new Error('Nothing came for a minute');
}

/** What the reader put together must be what the server says that the task is. */
async function check(processes: Processes, seen: Seen): Promise<void> {
  const list = await fetch(`${processes.url}/agents/storyteller/a2a/rest/tasks?includeArtifacts=true`);
  const { tasks } = (await list.json()) as {
    tasks: { artifacts: { artifactId: string; parts: { text?: string }[] }[]; status: { state: string } }[];
  };
  const [task] = tasks;
  if (tasks.length !== 1 || !task) throw new Error(`There are ${tasks.length} tasks, not one`);
  const inOrder = seen.seqs.every((seq, at) => at === 0 || seq === (seen.seqs[at - 1] ?? 0) + 1);
  if (!inOrder) throw new Error(`Events were missed or came twice: ${seen.seqs.join(' ')}`);
  for (const artifact of task.artifacts) {
    const whole = artifact.parts.map((part) => part.text ?? '').join('');
    if (seen.texts.get(artifact.artifactId) !== whole) throw new Error('The text differs from the task');
  }
  if (seen.state !== 'TASK_STATE_COMPLETED') throw new Error(`The task ended ${seen.state}`);
  say(
    `\n\nOne task, COMPLETED. ${seen.seqs.length} events over ${seen.attempts} connections: ` +
      `${seen.seqs[0]} to ${seen.seqs.at(-1)}, each once, and the text is the task's.`,
  );
}

await main();

import { randomUUID } from 'node:crypto';
import type { StreamResponse, Task } from '@a2a-js/sdk';
import { SendMessageRequest, TaskState, type Part } from '@a2a-js/sdk';
import { ClientFactory, type Client } from '@a2a-js/sdk/client';
import { Processes } from './processes.js';

/**
 * `npm run demo`: the official JavaScript client against a running server, step by step. `A2A_URL` names a
 * server that runs already; without it, one is started for the demo.
 */

const say = (line = ''): void => console.log(line);
const step = (title: string): void => say(`\n── ${title}`);

function message(text: string, taskId = ''): SendMessageRequest {
  return SendMessageRequest.fromJSON({
    message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], taskId },
  });
}

function textOf(parts: Part[]): string {
  return parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : [])).join('');
}

function stateOf(task: Task): string {
  return task.status ? TaskState[task.status.state].replace('TASK_STATE_', '') : 'unknown';
}

/** A demo that shows something else than it says has failed. */
function expectTask(result: Awaited<ReturnType<Client['sendMessage']>>, state: string): Task {
  if ('messageId' in result) throw new Error('The agent answered with a Message, not a Task');
  if (stateOf(result) !== state) {
    const told = textOf(result.status?.message?.parts ?? []);
    throw new Error(`The task is ${stateOf(result)}, not ${state}: ${told}`);
  }
  return result;
}

async function main(): Promise<void> {
  const given = process.env['A2A_URL'];
  const own = given === undefined ? await Processes.start({ SCRIPTED_MODEL_DELAY: '30ms' }) : undefined;
  const url = given ?? own?.url ?? '';
  const connect = (agent: string): Promise<Client> =>
    new ClientFactory().createFromUrl(`${url}/agents/${agent}/.well-known/agent-card.json`, '');
  try {
    step('1. Discover the agent by its card');
    const hello = await connect('hello');
    const card = await hello.getAgentCard();
    say(`${card.name}: ${card.description}`);
    for (const face of card.supportedInterfaces)
      say(`  ${face.protocolBinding} ${face.protocolVersion} at ${face.url}`);
    const direct = await hello.sendMessage(message('Hello, I am Ada'));
    if ('messageId' in direct) say(`It answers directly: "${textOf(direct.parts)}"`);

    step('2. Stream an answer, word by word');
    const storyteller = await connect('storyteller');
    for await (const event of storyteller.sendMessageStream(message('a lighthouse'))) show(event);

    step('3. Answer a question, and fetch the artifact');
    const concierge = await connect('concierge');
    const paused = expectTask(await concierge.sendMessage(message('Plan a day for me')), 'INPUT_REQUIRED');
    say(`${stateOf(paused)}: "${textOf(paused.status?.message?.parts ?? [])}"`);
    const done = expectTask(await concierge.sendMessage(message('Lisbon', paused.id)), 'COMPLETED');
    say(`We answer "Lisbon" → ${stateOf(done)}`);
    const [artifact] = (await concierge.getTask({ id: done.id, tenant: '' })).artifacts;
    say(textOf(artifact?.parts ?? []));

    step('4. Cancel a job of many hours');
    const marathon = await connect('marathon');
    let jobId = '';
    for await (const event of marathon.sendMessageStream(message('Start'))) {
      if (event.payload?.$case === 'task') jobId = event.payload.value.id;
      if (event.payload?.$case === 'statusUpdate') break;
    }
    const job = await marathon.getTask({ id: jobId, tenant: '' });
    say(`${job.id} is ${stateOf(job)}`);
    const cancelled = expectTask(
      await marathon.cancelTask({ id: jobId, tenant: '', metadata: undefined }),
      'CANCELED',
    );
    say(`Cancelled → ${stateOf(cancelled)}`);
    say('\nAll of it would have survived a kill -9 at any moment: npm run demo:crash');
  } finally {
    await own?.stop();
  }
}

function show({ payload }: StreamResponse): void {
  switch (payload?.$case) {
    case 'task':
      say(`Task ${payload.value.id}`);
      return;
    case 'statusUpdate':
      if (payload.value.status)
        say(`\n[${TaskState[payload.value.status.state].replace('TASK_STATE_', '')}]`);
      return;
    case 'artifactUpdate': {
      const { artifact, lastChunk } = payload.value;
      if (!lastChunk) process.stdout.write(textOf(artifact?.parts ?? []));
      else if (artifact?.metadata?.['type'] === 'intermediate-thinking') say('\n  (that was thinking aloud)');
      return;
    }
    case 'message':
    case undefined:
  }
}

await main();

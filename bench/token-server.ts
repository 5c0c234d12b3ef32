import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { serve, sharedNow } from './serve.js';

/**
 * A model endpoint that speaks OpenAI's streaming protocol. Each token is the time at which it was made, on
 * the machine's shared clock; the prompt says how many and how fast: `tokens=300 perSecond=30`.
 */
async function complete(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const asked = await text(request);
  const number = (name: string) => Number(new RegExp(`${name}=(\\d+)`).exec(asked)?.[1]);
  const tokens = number('tokens');
  const interval = 1_000 / number('perSecond');
  const chunk = (rest: object) =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 0, model: 'clock', ...rest })}\n\n`;
  const choice = (delta: object, finish_reason: string | null) => ({
    choices: [{ index: 0, delta, finish_reason }],
  });

  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  const started = performance.now();
  for (let token = 1; token <= tokens && !response.destroyed; token += 1) {
    const wait = started + token * interval - performance.now();
    if (wait > 0) await delay(wait);
    response.write(chunk(choice({ role: 'assistant', content: `${sharedNow().toFixed(3)} ` }, null)));
  }
  const usage = { prompt_tokens: 1, completion_tokens: tokens, total_tokens: tokens + 1 };
  response.end(`${chunk({ ...choice({}, 'stop'), usage })}data: [DONE]\n\n`);
}

const server = createServer((request, response) => void complete(request, response)).listen(0, '127.0.0.1');
await once(server, 'listening');
serve({}, `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);

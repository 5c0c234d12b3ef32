import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** How the server answers one request. Replies are used in order; the last one again for all that follow. */
export type ModelReply =
  | {
      /** One fragment each. */
      tokens?: string[];
      toolCalls?: { name: string; arguments: string }[];
      usage?: { prompt_tokens: number; completion_tokens: number; cached_tokens?: number };
      finishReason?: string;
      /** After so many tokens, wait for this. */
      pause?: { tokens: number; until: Promise<void> };
      /** Milliseconds before each chunk. */
      delayMillis?: number;
      /** A comment line this often, as some providers send while their model thinks. */
      keepAliveMillis?: number;
      /** After so many tokens: destroy the socket, end without a finish, or say nothing more. */
      after?: { tokens: number; then: 'reset' | 'end' | 'stall' };
      /** Write so many bytes at a time, so that chunks break anywhere, also within a character. */
      bytesAtATime?: number;
    }
  | { status: number; headers?: Record<string, string>; body?: unknown }
  /** Accept the request and never answer. */
  | { silent: true };

export interface RecordedRequest {
  path: string;
  authorization: string | undefined;
  body: {
    model: string;
    stream: boolean;
    messages: { role: string; content: unknown; tool_calls?: unknown; tool_call_id?: string }[];
    tools?: { function: { name: string; description: string; parameters: unknown } }[];
    [key: string]: unknown;
  };
  /** The client closed the connection before the answer was complete. */
  aborted: boolean;
}

export interface OpenAIServer {
  baseURL: string;
  requests: RecordedRequest[];
  close(): Promise<void>;
}

/** A loopback HTTP server that speaks OpenAI's chat-completions streaming protocol, faults included. */
export async function openAIServer(...replies: ModelReply[]): Promise<OpenAIServer> {
  const requests: RecordedRequest[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const recorded: RecordedRequest = {
        path: request.url ?? '',
        authorization: request.headers.authorization,
        body: JSON.parse(await bodyOf(request)) as RecordedRequest['body'],
        aborted: false,
      };
      response.on('close', () => (recorded.aborted = !response.writableFinished));
      const reply = replies[Math.min(requests.length, replies.length - 1)];
      requests.push(recorded);
      if (reply) await answer(response, reply);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

async function answer(response: ServerResponse, reply: ModelReply): Promise<void> {
  if ('silent' in reply) return;
  if ('status' in reply) {
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
    response.end(JSON.stringify(reply.body ?? { error: { message: 'no', type: 'error', code: null } }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (reply.keepAliveMillis) {
    const timer = setInterval(() => response.write(': still thinking\n\n'), reply.keepAliveMillis);
    response.on('close', () => clearInterval(timer));
  }
  const send = async (event: object | '[DONE]'): Promise<void> => {
    if (reply.delayMillis) await delay(reply.delayMillis);
    const bytes = Buffer.from(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
    const step = reply.bytesAtATime ?? bytes.length;
    for (let at = 0; at < bytes.length; at += step) {
      response.write(bytes.subarray(at, at + step));
      // Without a pause the socket would join the pieces again.
      if (reply.bytesAtATime) await delay(0);
    }
  };
  const { tokens = [], toolCalls = [] } = reply;
  await send(chunk({ role: 'assistant', content: '' }));
  for (const [at, token] of tokens.entries()) {
    if (response.destroyed) return;
    if (reply.pause?.tokens === at) await reply.pause.until;
    if (reply.after?.tokens === at) {
      breakOff(response, reply.after.then);
      return;
    }
    await send(chunk({ content: token }));
  }
  for (const [index, call] of toolCalls.entries()) {
    await send(
      chunk({
        tool_calls: [
          { index, id: `call_${index}`, type: 'function', function: { name: call.name, arguments: '' } },
        ],
      }),
    );
    // The arguments come in pieces, as real servers send them.
    for (let at = 0; at < call.arguments.length; at += 5) {
      await send(
        chunk({ tool_calls: [{ index, function: { arguments: call.arguments.slice(at, at + 5) } }] }),
      );
    }
  }
  await send(chunk({}, reply.finishReason ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop')));
  if (reply.usage) {
    const { cached_tokens, ...usage } = reply.usage;
    await send({ ...chunk({}), choices: [], usage: { ...usage, prompt_tokens_details: { cached_tokens } } });
  }
  await send('[DONE]');
  response.end();
}

function breakOff(response: ServerResponse, how: 'reset' | 'end' | 'stall'): void {
  if (how === 'reset') response.destroy();
  if (how === 'end') response.end();
}

function chunk(delta: object, finishReason: string | null = null): object {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'test-model-2025',
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  };
}

import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** What a model says, in no provider's words. */
export interface Speech {
  /** Thoughts before the answer, with the provider's mark on them. */
  thoughts?: { text: string; mark: string };
  /** One fragment each. */
  tokens?: string[];
  toolCalls?: { name: string; arguments: string }[];
  /** `input` has all input tokens, those read from or written to a cache too. */
  usage?: { input: number; output: number; cached?: number; cacheCreation?: number };
  /** The output limit cut it off. */
  cutOff?: boolean;
}

/** How the server answers one request. Replies are used in order; the last one again for all that follow. */
export type ModelReply =
  | (Speech & {
      /** After so many tokens, wait for this. */
      pause?: { tokens: number; until: Promise<void> };
      /** Milliseconds before each frame. */
      delayMillis?: number;
      /** A comment line this often, as some providers send while their model thinks. */
      keepAliveMillis?: number;
      /** After so many tokens: destroy the socket, end without a finish, say nothing more, or tell of an error. */
      after?: { tokens: number; then: 'reset' | 'end' | 'stall' | ProviderFault };
      /** Write so many bytes at a time, so that frames break anywhere, also within a character. */
      bytesAtATime?: number;
    })
  | { status: number; headers?: Record<string, string>; body?: unknown }
  /** Accept the request and never answer. */
  | { silent: true };

/** An error in the provider's own words. */
export interface ProviderFault {
  code: string;
  message: string;
}

/** A frame of server-sent events: JSON, or a word. Its `type`, where it has one, is also the event's name. */
export type Frame = { type?: string; [key: string]: unknown } | '[DONE]';

/** A provider's streaming protocol, from the server's side. One for each answer. */
export interface Protocol {
  begin(speech: Speech): Frame[];
  token(text: string): Frame[];
  toolCalls(speech: Speech): Frame[];
  end(speech: Speech): Frame[];
  /** An error in the stream. */
  fault(fault: ProviderFault): Frame;
}

export interface RecordedRequest<Body> {
  path: string;
  headers: IncomingHttpHeaders;
  body: Body;
  /** The client closed the connection before the answer was complete. */
  aborted: boolean;
}

export interface ModelServer<Body = Record<string, unknown>> {
  /** `http://127.0.0.1:PORT/v1`. */
  baseURL: string;
  requests: RecordedRequest<Body>[];
  close(): Promise<void>;
}

/** A loopback HTTP server that speaks a provider's streaming protocol, faults included. */
export async function modelServer<Body>(
  protocol: () => Protocol,
  replies: ModelReply[],
): Promise<ModelServer<Body>> {
  const requests: RecordedRequest<Body>[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const recorded: RecordedRequest<Body> = {
        path: request.url ?? '',
        headers: request.headers,
        body: JSON.parse(await bodyOf(request)) as Body,
        aborted: false,
      };
      response.on('close', () => (recorded.aborted = !response.writableFinished));
      const reply = replies[Math.min(requests.length, replies.length - 1)];
      requests.push(recorded);
      if (reply) await answer(response, protocol(), reply);
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

async function answer(response: ServerResponse, protocol: Protocol, reply: ModelReply): Promise<void> {
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
  const send = async (frames: Frame[]): Promise<void> => {
    for (const frame of frames) {
      if (reply.delayMillis) await delay(reply.delayMillis);
      await write(response, frame, reply.bytesAtATime);
    }
  };
  await send(protocol.begin(reply));
  for (const [at, token] of (reply.tokens ?? []).entries()) {
    if (response.destroyed) return;
    if (reply.pause?.tokens === at) await reply.pause.until;
    if (reply.after?.tokens === at) {
      const { then } = reply.after;
      if (typeof then === 'object') await send([protocol.fault(then)]);
      breakOff(response, then);
      return;
    }
    await send(protocol.token(token));
  }
  await send([...protocol.toolCalls(reply), ...protocol.end(reply)]);
  response.end();
}

async function write(
  response: ServerResponse,
  frame: Frame,
  bytesAtATime: number | undefined,
): Promise<void> {
  const event = typeof frame === 'object' && frame.type !== undefined ? `event: ${frame.type}\n` : '';
  const data = typeof frame === 'string' ? frame : JSON.stringify(frame);
  const bytes = Buffer.from(`${event}data: ${data}\n\n`);
  const step = bytesAtATime ?? bytes.length;
  for (let at = 0; at < bytes.length; at += step) {
    response.write(bytes.subarray(at, at + step));
    // Without a pause the socket would join the pieces again.
    if (bytesAtATime) await delay(0);
  }
}

function breakOff(response: ServerResponse, how: 'reset' | 'end' | 'stall' | ProviderFault): void {
  if (how === 'stall') return;
  if (how === 'reset') response.destroy();
  else response.end();
}

/** Arguments come in pieces, as real servers send them. */
export function pieces(text: string): string[] {
  return text.match(/[^]{1,5}/g) ?? [];
}

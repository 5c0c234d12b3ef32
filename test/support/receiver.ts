import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { StreamResponse } from '../../core/task.js';

export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
  /** Milliseconds since the epoch. */
  at: number;
}

/** What a receiver does with a delivery; 200 where it does nothing. */
export type Behaviour = (received: Received, response: ServerResponse, count: number) => void;

/** A webhook's receiver on loopback. */
export class Receiver {
  readonly received: Received[] = [];
  behaviour: Behaviour = () => undefined;
  readonly #server: Server;
  readonly #port: number;

  private constructor(server: Server) {
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
  }

  static async start(behaviour?: Behaviour): Promise<Receiver> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const receiver = new Receiver(server);
    if (behaviour) receiver.behaviour = behaviour;
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const one = {
          headers: request.headers,
          body: Buffer.concat(chunks).toString(),
          at: Date.now(),
        };
        receiver.received.push(one);
        receiver.behaviour(one, response, receiver.received.length);
        if (!response.writableEnded && !hangs.has(response)) response.writeHead(200).end();
      });
    });
    return receiver;
  }

  get url(): string {
    return this.urlOf('127.0.0.1');
  }

  /** The same port under another name. */
  urlOf(host: string): string {
    return `http://${host}:${this.#port}/hook`;
  }

  /** What arrived as 1.0 tells it: a state, or an artifact's text. */
  words(): string[] {
    return this.received.map(({ body }) => wordOf(JSON.parse(body) as StreamResponse));
  }

  ids(): string[] {
    return this.received.map(({ headers }) => String(headers['webhook-id']));
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const hangs = new WeakSet<ServerResponse>();

/** Takes the delivery and never answers. */
export const hang: Behaviour = (_, response) => void hangs.add(response);

export function answer(status: number, headers: Record<string, string> = {}): Behaviour {
  return (_, response) => void response.writeHead(status, headers).end();
}

function wordOf(event: StreamResponse): string {
  if ('statusUpdate' in event) return event.statusUpdate.status.state.replace('TASK_STATE_', '');
  if ('artifactUpdate' in event) {
    return event.artifactUpdate.artifact.parts.map((part) => ('text' in part ? part.text : '')).join('');
  }
  return Object.keys(event).join();
}

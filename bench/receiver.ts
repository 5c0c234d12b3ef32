import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve, sharedNow } from './serve.js';

/** Receives webhooks: counts those at `/count`, keeps those at `/hold` waiting until released, and hangs at `/hang`. */

let arrivals: number[] = [];
let held: ServerResponse[] | undefined = [];

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    if (request.url === '/hang') return;
    arrivals.push(sharedNow());
    if (request.url === '/hold' && held !== undefined) held.push(response);
    else response.writeHead(204).end();
  });
});
server.listen(0, '127.0.0.1', () => {
  serve(
    {
      arrivals: () => arrivals,
      reset() {
        arrivals = [];
        held = [];
      },
      release() {
        for (const response of held ?? []) response.writeHead(204).end();
        held = undefined;
        return sharedNow();
      },
    },
    `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  );
});

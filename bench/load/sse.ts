import { request, type ClientRequest } from 'node:http';

export interface Frame {
  /** The `id:` line. */
  id: string;
  data: string;
}

/**
 * Posts a JSON-RPC body and reads the answer as an event stream. `done` resolves when the server ends it and
 * rejects when it breaks, or when the answer is no stream.
 */
export function openStream(
  url: string,
  body: string,
  onFrame: (frame: Frame) => void,
): { done: Promise<void>; close: () => void } {
  let outgoing: ClientRequest | undefined;
  const done = new Promise<void>((resolve, reject) => {
    outgoing = request(url, {
      method: 'POST',
      agent: false,
      headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream', 'A2A-Version': '1.0' },
    });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      const parser = new FrameParser(onFrame);
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => parser.push(chunk));
      response.on('error', reject);
      response.on('close', () => {
        if (response.headers['content-type']?.startsWith('text/event-stream')) resolve();
        else reject(new Error(`no stream but ${response.statusCode}: ${parser.rest.slice(0, 300)}`));
      });
    });
    outgoing.end(body);
  });
  return { done, close: () => outgoing?.destroy() };
}

class FrameParser {
  rest = '';
  constructor(private readonly onFrame: (frame: Frame) => void) {}

  push(chunk: string): void {
    this.rest += chunk;
    for (;;) {
      const end = this.rest.indexOf('\n\n');
      if (end < 0) return;
      const block = this.rest.slice(0, end);
      this.rest = this.rest.slice(end + 2);
      let id = '';
      let data = '';
      for (const line of block.split('\n')) {
        if (line.startsWith('id:')) id = line.slice(3).trim();
        else if (line.startsWith('data:')) data += line.slice(5).trimStart();
      }
      if (data !== '') this.onFrame({ id, data });
    }
  }
}

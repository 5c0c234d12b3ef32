import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/**
 * One HTTP/1.1 connection that sends one request at a time and reads the answer by its Content-Length. It
 * costs a fraction of a full client, so that a measured server has the processor to itself.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #head: string;
  #received: Buffer[] = [];
  #length = 0;
  #expected = Infinity;
  #settle: { resolve(body: string): void; reject(error: Error): void } | undefined;

  private constructor(url: URL, socket: Socket) {
    this.#socket = socket;
    this.#head =
      `POST ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\nContent-Type: application/json\r\n` +
      'Accept: application/json\r\nA2A-Version: 1.0\r\nContent-Length: ';
    socket.setNoDelay();
    socket.on('data', (chunk) => this.#read(chunk));
    socket.on('error', (error) => this.#settle?.reject(error));
    socket.on('close', () => this.#settle?.reject(new Error('the server closed the connection')));
  }

  static async open(address: string): Promise<Connection> {
    const url = new URL(address);
    const socket = connect({ host: url.hostname, port: Number(url.port) });
    await once(socket, 'connect');
    return new Connection(url, socket);
  }

  /** Gives the answer's body. Throws on any status but 200. */
  post(body: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#socket.write(`${this.#head}${Buffer.byteLength(body)}\r\n\r\n${body}`);
    });
  }

  close(): void {
    this.#settle = undefined;
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    this.#received.push(chunk);
    this.#length += chunk.length;
    if (this.#expected === Infinity) this.#expected = this.#wholeLength();
    if (this.#length < this.#expected) return;
    const answer = Buffer.concat(this.#received).toString('utf8');
    const settle = this.#settle;
    this.#received = [];
    this.#length = 0;
    this.#expected = Infinity;
    this.#settle = undefined;
    if (answer.startsWith('HTTP/1.1 200')) settle?.resolve(answer.slice(answer.indexOf('\r\n\r\n') + 4));
    else settle?.reject(new Error(`the server answered ${answer.slice(0, 500)}`));
  }

  /** Of head and body, once the head is there. */
  #wholeLength(): number {
    const head = Buffer.concat(this.#received).toString('latin1');
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return Infinity;
    const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head.slice(0, end)) ?? [];
    if (length === undefined) throw new Error('the answer has no Content-Length');
    return end + 4 + Number(length);
  }
}

import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** A port is taken; `message` says which, the setting that chose it, and what to do. */
export class PortInUse extends Error {
  constructor(port: number, setting: string, hint: string) {
    super(`Port ${port} is in use (${setting}). ${hint}`);
    this.name = 'PortInUse';
  }
}

/** A port on loopback that nothing listens on now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** Whether something listens on this port of loopback. */
export async function isTaken(port: number): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1' });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

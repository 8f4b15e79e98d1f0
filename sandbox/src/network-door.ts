/** A way from this machine's network into the private one. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface NetworkDoor extends AsyncDisposable {
  /** On 127.0.0.1 of the network in which it was opened. */
  readonly port: number;
}

/**
 * Forwards connections to a port of 127.0.0.1. A socket stays in the network where it was opened, so call it before this process enters
 * its private network. It then leads from the one to the other.
 */
export async function openNetworkDoor(toPort: number): Promise<NetworkDoor> {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const inner = connect(toPort, '127.0.0.1');
    for (const [one, other] of [
      [client, inner],
      [inner, client],
    ] as const) {
      open.add(one);
      one.on('error', () => undefined);
      one.once('close', () => {
        open.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    port,
    async [Symbol.asyncDispose]() {
      for (const one of open) one.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A TCP forward to a port of loopback, whose connections a test can cut. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';

export interface CuttableLine extends AsyncDisposable {
  readonly url: string;
  /** Breaks all connections, and refuses new ones. */
  cut(): void;
  /** Accepts new connections again. */
  join(): void;
}

export async function startCuttableLine(port: number): Promise<CuttableLine> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((client) => {
    if (isCut) return void client.destroy();
    const target = connect(port, '127.0.0.1');
    for (const [one, other] of [
      [client, target],
      [target, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    join: () => void (isCut = false),
    async [Symbol.asyncDispose]() {
      cut();
      server.close();
    },
  };
}

/** Passes TCP connections on, counts what the server sends, and ends all connections at one moment. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

import type { BenchContext } from './benchmark.ts';

export interface BreakingProxy {
  readonly url: string;
  /** Ends all connections once this many more bytes were sent. Returns the bytes so far. */
  start(breakAtBytes: number): number;
  /** The bytes that were passed on to clients. */
  sentBytes(): number;
}

export async function startBreakingProxy(
  context: BenchContext,
  { hostname, port }: { readonly hostname: string; readonly port: string },
): Promise<BreakingProxy> {
  let sent = 0;
  let breakAt = Number.POSITIVE_INFINITY;
  const open = new Set<() => void>();
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    const end = (): void => {
      open.delete(end);
      // What was passed on arrives before the end.
      client.end();
      upstream.destroy();
    };
    open.add(end);
    client.pipe(upstream);
    upstream.on('data', (bytes: Buffer) => {
      sent += bytes.length;
      if (!client.write(bytes)) pauseUntilDrained(upstream, client);
      if (sent < breakAt) return;
      breakAt = Number.POSITIVE_INFINITY;
      for (const each of open) each();
    });
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.scope.defer(() => {
    for (const each of open) each();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${addressOf(server.address()).port}`,
    start(breakAtBytes) {
      breakAt = sent + breakAtBytes;
      return sent;
    },
    sentBytes: () => sent,
  };
}

function pauseUntilDrained(upstream: Socket, client: Socket): void {
  upstream.pause();
  client.once('drain', () => upstream.resume());
}

function addressOf(address: AddressInfo | string | null): AddressInfo {
  if (typeof address === 'object' && address !== null) return address;
  throw new Error(`the proxy has no port: ${address}`);
}

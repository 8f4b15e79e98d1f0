/** A server whose requests are limited, and which every pipelined request waits for. */
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { hasTurn, limitRequests } from '../index.ts';

export type Handle = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;

export async function limitedServer(server: Server, handle: Handle) {
  const seen = { requests: 0, withoutTurn: 0 };
  const faults: string[] = [];
  const open = new Set<Socket>();
  server.on('request', (incoming, outgoing) => {
    seen.requests += 1;
    void (async () => {
      if (outgoing.socket !== null || (await hasTurn(incoming, outgoing))) await handle(incoming, outgoing);
      else seen.withoutTurn += 1;
    })();
  });
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  limitRequests(server, (reason) => void faults.push(reason));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    seen,
    onRequest: (take: (incoming: IncomingMessage) => void) => void server.on('request', take),
    faults,
    connections: () => open.size,
    socket: (options: { readonly allowHalfOpen?: boolean } = {}) =>
      connect({ port, host: '127.0.0.1', ...options }).on('error', () => undefined),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

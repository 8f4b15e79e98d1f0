/**
 * Hostile clients of one server, each with an address of its own. Arguments: the number of clients, and the ports of HTTP, HTTP/2 and TLS.
 * Prints `ready` when all have begun.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import { hostileKinds, type HostileKind } from './hostile-kinds.ts';

/** The pace of each client, however soon the server ends its connection. */
const AGAIN_MS = 1000;

const [count = '', http = '', http2 = '', tls = ''] = process.argv.slice(2);
const ports = { http: Number(http), http2: Number(http2), tls: Number(tls) };

async function act({ port, act: run }: HostileKind, localAddress: string): Promise<void> {
  const socket = connect({ port: ports[port], host: '127.0.0.1', localAddress });
  socket.on('error', () => undefined);
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  const closed = once(socket, 'close');
  await Promise.race([run(socket), closed]);
  socket.destroy();
}

async function client(index: number): Promise<never> {
  const kind = hostileKinds[index % hostileKinds.length];
  if (kind === undefined) throw new Error('there is no kind of hostile client');
  // So that they do not act together.
  await delay((index * AGAIN_MS) / Number(count));
  for (;;) {
    await act(kind, `127.0.1.${1 + index}`).catch(() => undefined);
    await delay(AGAIN_MS);
  }
}

for (let index = 0; index < Number(count); index += 1) void client(index);
await delay(1500);
process.stdout.write('ready\n');

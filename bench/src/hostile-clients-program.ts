/**
 * Hostile clients of one server, each with an address of its own. Arguments: the number of clients, the ports of HTTP, HTTP/2 and TLS, and
 * the name of a kind if all are of that one. Prints `ready` when all have begun. At its end, on SIGTERM, it has counted how often each kind acted.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import { hostileKinds, type HostileKind } from './hostile-kinds.ts';

/** The pace of each client, however soon the server ends its connection. */
const AGAIN_MS = 1000;

const [count = '', http = '', http2 = '', tls = '', only] = process.argv.slice(2);
const kinds = hostileKinds.filter(({ name }) => only === undefined || name === only);
const ports = { http: Number(http), http2: Number(http2), tls: Number(tls) };
const acts = new Map<string, number>();

async function act({ port, act: run, name }: HostileKind, localAddress: string): Promise<void> {
  const socket = connect({ port: ports[port], host: '127.0.0.1', localAddress });
  socket.on('error', () => undefined);
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  const closed = once(socket, 'close');
  await Promise.race([run(socket), closed]);
  socket.destroy();
  acts.set(name, (acts.get(name) ?? 0) + 1);
}

async function client(index: number): Promise<never> {
  const kind = kinds[index % kinds.length];
  if (kind === undefined) throw new Error('there is no kind of hostile client');
  // So that they do not act together.
  await delay((index * AGAIN_MS) / Number(count));
  for (;;) {
    await act(kind, `127.0.1.${1 + index}`).catch(() => undefined);
    await delay(AGAIN_MS);
  }
}

for (let index = 0; index < Number(count); index += 1) void client(index);
process.once('SIGTERM', () => {
  process.stdout.write(`${[...acts].map(([name, times]) => `${name} ${times}`).join(', ')}\n`, () =>
    process.exit(0),
  );
});
await delay(1500);
process.stdout.write('ready\n');

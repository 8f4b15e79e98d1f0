/** Opens many requests and drops their connections at once, so that the server ends hundreds of them together. */
import { connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { SeededChoice } from '../seeded-choice.ts';
import type { Attack } from './attack.ts';

/** What the gateway allows on one connection of HTTP/2. */
const STREAMS_MAX = 250;
const SOCKETS_MAX = 100;
const WAIT_MS_MAX = 300;

/** Each waits for a body that does not come, or for an answer that takes a while. */
const requests: readonly (readonly [method: string, path: string])[] = [
  ['POST', '/phone-home'],
  ['PUT', '/apis/tinkerbell.org/v1alpha1/namespaces/lab/hardware/none'],
  ['GET', '/healthz'],
  ['GET', '/images/none'],
  ['GET', '/2009-04-04/meta-data'],
];

export const lostConnections: Attack = {
  name: 'lost-connections',
  sends: 'stream',
  async once({ url, gatewayUrl }, choice) {
    if (choice.once(2)) await lostStreams(gatewayUrl, choice);
    else await lostSockets(choice.of([url, gatewayUrl]), choice);
  },
};

async function lostStreams(url: string, choice: SeededChoice): Promise<void> {
  const session = connectHttp2(url).on('error', () => undefined);
  const all = choice.once(2) ? choice.of(requests) : undefined;
  try {
    for (let count = 1 + choice.below(STREAMS_MAX); count > 0 && !session.destroyed; count -= 1) {
      const [method, path] = all ?? choice.of(requests);
      const fields = { ':authority': 'a', ':method': method, ':path': path };
      session.request(fields, { endStream: method === 'GET' }).on('error', () => undefined);
    }
    await delay(choice.below(WAIT_MS_MAX));
  } finally {
    session.destroy();
  }
}

async function lostSockets(url: string, choice: SeededChoice): Promise<void> {
  const { hostname, port } = new URL(url);
  const sockets: Socket[] = [];
  for (let count = 1 + choice.below(SOCKETS_MAX); count > 0; count -= 1) {
    const [method, path] = choice.of(requests);
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    socket.write(`${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n`);
    sockets.push(socket);
  }
  await delay(choice.below(WAIT_MS_MAX));
  for (const socket of sockets) {
    if (choice.once(2)) socket.resetAndDestroy();
    else socket.destroy();
  }
}

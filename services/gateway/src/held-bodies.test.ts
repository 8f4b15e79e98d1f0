import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { connect as connectTcp, type AddressInfo, type Socket } from 'node:net';
import { test } from 'node:test';
import { samplesOf } from '@tinkerbell/platform-metrics';
import { nodeClock } from '@tinkerbell/platform-node';
import { HeldBodies } from './held-bodies.ts';
import { startGateway } from './testing/gateway-bench.ts';

const MEGABYTE = 1024 * 1024;

test('above the limit, the responses that have been stuck longest are cut off, and no more than needed', () => {
  const bodies = new HeldBodies(100);
  const cut: string[] = [];
  const sizes: Record<string, number> = { fast: 60, slow: 30, slower: 30, empty: 0 };
  const taken: Record<string, number> = { fast: 0, slow: 0, slower: 0, empty: 0 };
  const forgets = Object.keys(sizes).map((name) =>
    bodies.add({
      bytes: () => sizes[name]!,
      taken: () => taken[name]!,
      cut: () => void (cut.push(name), (sizes[name] = 0)),
    }),
  );
  taken['fast'] = 1;
  taken['slow'] = 1;
  sizes['slower'] = 10;
  bodies.sweep();
  assert.deepEqual(cut, []);
  taken['fast'] = 2;
  sizes['slower'] = 30;
  bodies.sweep();
  assert.deepEqual(cut, ['slower']);
  sizes['fast'] = 200;
  forgets[0]?.();
  bodies.sweep();
  assert.deepEqual(cut, ['slower'], 'a response that has ended no longer counts');
});

test('the more is held, the less of a response is read at once', () => {
  const bodies = new HeldBodies(100 * MEGABYTE);
  let held = 0;
  bodies.add({ bytes: () => held, taken: () => 0, cut: () => undefined });
  const at = (megabytes: number): readonly number[] => {
    held = megabytes * MEGABYTE;
    bodies.sweep();
    return [bodies.partBytes(), bodies.waitingBytesMax()];
  };
  assert.deepEqual(at(1), [65_536, 65_536]);
  assert.deepEqual(at(13.28125), [32_768, 0]);
  assert.deepEqual(at(30), [2048, 0]);
  assert.deepEqual(at(0), [65_536, 65_536]);
});

async function startUnread(heldBytesMax: number) {
  const upstream = createServer((request, response) => {
    if (request.url === '/short') return void response.end('short');
    const chunk = new Uint8Array(MEGABYTE);
    const more = (): void => {
      while (!response.destroyed && response.write(chunk));
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  });
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  const { port } = upstream.address() as AddressInfo;
  const bench = await startGateway(
    `listeners: [{name: plain, address: 127.0.0.1, port: 0}]
routes: [{name: r, upstream: {endpoints: "127.0.0.1:${port}"}}]
`,
    nodeClock,
    { heldBytesMax },
  );
  return {
    port: bench.gateway.portOf('plain'),
    held: (): number => samplesOf(bench.gateway.metrics)['gateway_held_bytes'] ?? 0,
    ended: (): number =>
      samplesOf(bench.gateway.metrics)['gateway_requests_total{route="r",code="200"}'] ?? 0,
    async [Symbol.asyncDispose]() {
      await bench[Symbol.asyncDispose]();
      upstream.close();
      upstream.closeAllConnections();
    },
  };
}

async function assertAnswers(port: number): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/short`);
  assert.equal(await answer.text(), 'short');
}

const soon = () => new Promise((resolve) => setTimeout(resolve, 10));

test('many unread responses over HTTP/1.1 stay within the limit without one that is cut off', async () => {
  const heldBytesMax = 4 * MEGABYTE;
  await using unread = await startUnread(heldBytesMax);
  const sockets: Socket[] = [];
  // With full buffers they would hold three times the limit.
  while (sockets.length < 100) {
    for (let some = 0; some < 10; some += 1) {
      const socket = connectTcp(unread.port, '127.0.0.1').on('error', () => undefined);
      socket.pause();
      socket.write('GET /long HTTP/1.1\r\nhost: a\r\n\r\n');
      sockets.push(socket);
    }
    // Until their buffers are full.
    for (let [before, same] = [0, 0]; same < 15;) {
      await soon();
      const now = unread.held();
      same = now > 0 && now === before ? same + 1 : 0;
      before = now;
    }
  }
  assert.equal(unread.ended(), 0);
  assert.ok(unread.held() <= heldBytesMax);
  await assertAnswers(unread.port);
  for (const socket of sockets) socket.destroy();
  while (unread.held() > 0) await soon();
});

test('unread responses over HTTP/2 are held within the limit, and a client that reads is answered', async () => {
  const heldBytesMax = MEGABYTE;
  await using unread = await startUnread(heldBytesMax);
  const sessions: ClientHttp2Session[] = [];
  for (let index = 0; index < 60; index += 1) {
    const session = connectHttp2(`http://127.0.0.1:${unread.port}`).on('error', () => undefined);
    for (let stream = 0; stream < 10; stream += 1)
      session
        .request({ ':path': '/long', ':authority': 'a' })
        .on('error', () => undefined)
        .pause();
    sessions.push(session);
  }
  // The smallest parts of all exceed the limit, so some are cut off.
  while (unread.held() <= heldBytesMax) await new Promise((resolve) => setTimeout(resolve, 5));
  while (unread.held() > heldBytesMax) await soon();
  await assertAnswers(unread.port);
  for (const session of sessions) session.destroy();
  while (unread.held() > 0) await soon();
});

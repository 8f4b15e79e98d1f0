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

for (const protocol of ['HTTP/1.1', 'HTTP/2'] as const) {
  test(`over ${protocol} unread responses are held within the limit, and a client that reads is answered`, async () => {
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
    const heldBytesMax = 4 * MEGABYTE;
    await using bench = await startGateway(
      `listeners: [{name: plain, address: 127.0.0.1, port: 0}]
routes: [{name: r, upstream: {endpoints: "127.0.0.1:${port}"}}]
`,
      nodeClock,
      { heldBytesMax },
    );
    const held = (): number => samplesOf(bench.gateway.metrics)['gateway_held_bytes'] ?? 0;
    const at = bench.gateway.portOf('plain');
    const sockets: (Socket | ClientHttp2Session)[] = [];
    for (let index = 0; index < 60; index += 1) {
      if (protocol === 'HTTP/1.1') {
        const socket = connectTcp(at, '127.0.0.1').on('error', () => undefined);
        socket.pause();
        socket.write('GET /long HTTP/1.1\r\nhost: a\r\n\r\n');
        sockets.push(socket);
      } else {
        const session = connectHttp2(`http://127.0.0.1:${at}`).on('error', () => undefined);
        for (let stream = 0; stream < 10; stream += 1)
          session
            .request({ ':path': '/long', ':authority': 'a' })
            .on('error', () => undefined)
            .pause();
        sockets.push(session);
      }
    }
    // Full buffers of all exceed the limit, so some are cut off.
    while (held() <= heldBytesMax) await new Promise((resolve) => setTimeout(resolve, 5));
    while (held() > heldBytesMax) await new Promise((resolve) => setTimeout(resolve, 5));
    const answer = await fetch(`http://127.0.0.1:${at}/short`);
    assert.equal(await answer.text(), 'short');
    for (const socket of sockets) socket.destroy();
    while (held() > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    upstream.close();
    upstream.closeAllConnections();
  });
}

/**
 * h2spec, a conformance test of HTTP/2 by others, against the gateway: over TLS, and without it (h2c with prior knowledge). And against
 * the protocol of the agents' port.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { ServerConnection, TextPool, encodeFields, type ServerEvents } from '@tinkerbell/http2';
import { startGateway, type GatewayBench } from '@tinkerbell/service-gateway/testing/gateway-bench';
import { installedByGo } from './go-toolchain.ts';

const h2spec = await installedByGo('github.com/summerwind/h2spec/cmd/h2spec@v2.2.1+incompatible');

/** Our own protocol (`protocols/http2`) ignores these frames, or closes the whole connection. None of them reaches a request. */
const IGNORED = [
  'closed: Sends a DATA frame',
  'closed: Sends a DATA frame after sending RST_STREAM frame',
  'closed: Sends a HEADERS frame',
  'closed: Sends a HEADERS frame after sending RST_STREAM frame',
  'Sends PRIORITY frame that depend on itself',
  'Sends stream identifier that is numerically smaller than previous',
];
/** On the plain port, what is not HTTP/2 is HTTP/1.1, and is answered with 400 there. */
const OF_BOTH_PROTOCOLS = ['Sends invalid connection preface'];

const ANSWER_AFTER_MS = 250;

describe('HTTP/2 conformance', { skip: h2spec.skip, concurrency: true }, () => {
  const upstream = createServer((request, response) => {
    // Not at once: a case that sends frames on a half-closed stream needs a stream that the answer has not closed yet.
    request.resume().on('end', () => setTimeout(() => response.end('hello'), ANSWER_AFTER_MS));
  });
  let bench: GatewayBench;

  before(async () => {
    upstream.listen(0, '127.0.0.1');
    await once(upstream, 'listening');
    const { port } = upstream.address() as AddressInfo;
    bench = await startGateway(`listeners:
  - { name: tls, address: 127.0.0.1, port: 0, tls: { certificates: [{ certFile: FOLDER/a.pem, keyFile: FOLDER/a.key }] } }
  - { name: plain, address: 127.0.0.1, port: 0 }
routes: [{ name: all, upstream: { endpoints: ["127.0.0.1:${port}"] } }]
`);
  });
  after(async () => {
    upstream.close();
    upstream.closeAllConnections();
    await bench[Symbol.asyncDispose]();
  });

  for (const [listener, words, accepted] of [
    ['tls', ['--tls', '--insecure'], IGNORED],
    ['plain', [], [...IGNORED, ...OF_BOTH_PROTOCOLS]],
  ] as const)
    test(`${listener}: fails no case but the named ones, and answers afterwards`, async () => {
      const { failed, total } = await conformance(bench.gateway.portOf(listener), words);
      assert.ok(total >= 145, `${total} cases`);
      assert.deepEqual(
        failed.filter((title) => !accepted.includes(title)),
        [],
      );
      const answer = await fetch(`http://127.0.0.1:${bench.gateway.portOf('plain')}/`);
      assert.equal(await answer.text(), 'hello');
    });
});

test("the agents' port: fails no case but the named ones", { skip: h2spec.skip }, async () => {
  const server = createTcpServer(answerLate).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { failed, total } = await conformance((server.address() as AddressInfo).port, []);
  server.close();
  assert.ok(total >= 145, `${total} cases`);
  assert.deepEqual(
    failed.filter((title) => !IGNORED.includes(title)),
    [],
  );
});

const shared = {
  pool: new TextPool(),
  allocate: (bytes: number) => Buffer.allocUnsafe(bytes),
  decodeText: (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1'),
  nowMs: () => performance.now(),
};

/** A server without gRPC, because h2spec does not speak it. */
function answerLate(socket: Socket): void {
  const send = (): void => {
    const bytes = connection.takeOutput();
    if (!socket.destroyed) socket.write(bytes);
  };
  const events: ServerEvents = {
    request(stream) {
      const end = (): void => {
        stream.sendHeaders(encodeFields([[':status', '200']]), false);
        stream.sendData(Buffer.from('hello'));
        stream.sendTrailers(encodeFields([['a', 'b']]));
      };
      stream.listener = {
        data: (bytes) => stream.consumed(bytes.length),
        end: () => void setTimeout(end, ANSWER_AFTER_MS),
        drained: () => undefined,
        aborted: () => undefined,
      };
    },
    output: () => process.nextTick(send),
    paused: () => setImmediate(() => connection.receive(new Uint8Array(0))),
    finished: () => process.nextTick(() => socket.end()),
  };
  const connection = new ServerConnection(events, shared);
  socket.on('data', (bytes: Buffer) => connection.receive(bytes));
  socket.on('close', () => {
    for (const _stream of connection.lost());
  });
  socket.on('error', () => undefined);
}

async function conformance(port: number, words: readonly string[]) {
  assert.ok(h2spec.skip === false);
  const args = ['--host', '127.0.0.1', '--port', `${port}`, ...words];
  // It exits with 1 when a case fails.
  const text = await new Promise<string>((resolve) =>
    execFile(h2spec.path, args, { maxBuffer: 16 * 1024 * 1024 }, (_, stdout) => resolve(stdout)),
  );
  const [, after = ''] = text.split('Failures:');
  const failed = [...after.matchAll(/× \d+: (.+)/g)].map(([, title = '']) => title.trim());
  const [, total, count] = /(\d+) tests, .* (\d+) failed/.exec(text) ?? [];
  assert.equal(failed.length, Number(count), text);
  return { failed, total: Number(total) };
}

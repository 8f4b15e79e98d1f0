/**
 * Tests clients that send slowly, read slowly, or send what is cheap for them and expensive for the gateway.
 * After each, the gateway still answers.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { encodeFields } from '@tinkerbell/http2';
import { samplesOf } from '@tinkerbell/platform-metrics';
import { hurriedClock, startGateway, type GatewayBench } from './testing/gateway-bench.ts';

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const TYPE = { headers: 1, settings: 4, ping: 6, continuation: 9 } as const;

/** RFC 9113, section 4.1. */
function frame(type: number, { flags = 0, stream = 0, payload = Buffer.alloc(0) } = {}): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.set([type, flags], 3);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

const upstream = createServer((request, response) => {
  if (request.url?.startsWith('/large') === true) {
    // More than any buffer on the way.
    response.writeHead(200, { 'content-length': String(64 * 1024 ** 2) });
    const part = Buffer.alloc(1024 ** 2);
    const send = (count: number): void => {
      if (count > 0) response.write(part, () => send(count - 1));
      else response.end();
    };
    return send(64);
  }
  request.resume().on('end', () => response.end('in'));
});

let bench: GatewayBench;

before(async () => {
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  const { port } = upstream.address() as AddressInfo;
  bench = await startGateway(
    `listeners: [{name: web, address: 127.0.0.1, port: 0}]
routes:
  - {name: r, middlewares: {answerTimeout: 1h}, upstream: {endpoints: "127.0.0.1:${port}"}}
  - {name: unread, match: {pathPrefix: /large/unread}, middlewares: {answerTimeout: 1h}, upstream: {endpoints: "127.0.0.1:${port}"}}\n`,
    hurriedClock,
  );
});

after(async () => {
  await bench[Symbol.asyncDispose]();
  upstream.closeAllConnections();
  upstream.close();
});

async function hostile(): Promise<Socket> {
  const socket = connect(bench.gateway.portOf('web'), '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** Writes the same bytes repeatedly, and reads nothing, until the connection is closed. */
async function flood(socket: Socket, bytes: Buffer): Promise<void> {
  let isOver = false;
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      isOver = true;
      resolve();
    });
  });
  const more = (): void => {
    if (!isOver) socket.write(bytes, () => setImmediate(more));
  };
  more();
  await closed;
}

async function assertAnswers(): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${bench.gateway.portOf('web')}/`);
  assert.equal(await response.text(), 'in');
}

/** Collects everything that arrives until the connection is closed, for any reason. */
function textOf(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => void chunks.push(chunk));
  socket.resume();
  return new Promise((resolve) => {
    socket.once('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
  });
}

describe('hostile clients', { concurrency: true }, () => {
  for (const [name, bytes] of [
    ['pings', frame(TYPE.ping, { payload: Buffer.alloc(8) })],
    ['settings', frame(TYPE.settings)],
  ] as const)
    test(`a flood of ${name} that are never read`, async () => {
      const socket = await hostile();
      socket.pause();
      socket.write(Buffer.concat([PREFACE, frame(TYPE.settings)]));
      await flood(socket, Buffer.concat(Array.from({ length: 4000 }, () => bytes)));
      await assertAnswers();
    });

  test('header fields without end', async () => {
    const socket = await hostile();
    socket.write(Buffer.concat([PREFACE, frame(TYPE.settings), frame(TYPE.headers, { stream: 1 })]));
    socket.resume();
    // A literal field without indexing, again and again: `x: yyyy`.
    const payload = Buffer.concat([Buffer.from([0, 1, 0x78, 100]), Buffer.alloc(100, 'y')]);
    await flood(socket, frame(TYPE.continuation, { stream: 1, payload }));
    await assertAnswers();
  });

  test('header fields that are too large are refused', async () => {
    const socket = await hostile();
    socket.write(`GET / HTTP/1.1\r\nHost: a\r\nX-A: ${'a'.repeat(40_000)}\r\n\r\n`);
    assert.match(await textOf(socket), /^HTTP\/1\.1 431 /);
  });

  test('header fields that never end', async () => {
    const socket = await hostile();
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n');
    assert.match(await textOf(socket), /^HTTP\/1\.1 408 /);
  });

  test('a body that arrives byte by byte', async () => {
    const socket = await hostile();
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n');
    const drop = setInterval(() => socket.write('x'), 20);
    const said = await textOf(socket);
    clearInterval(drop);
    assert.match(said, /^HTTP\/1\.1 408 [^]*too slowly/);
  });

  test('a response that is never read', async () => {
    const socket = await hostile();
    socket.pause();
    socket.write('GET /large/unread HTTP/1.1\r\nHost: a\r\n\r\n');
    const ended = 'gateway_requests_total{route="unread",code="200"}';
    while (samplesOf(bench.gateway.metrics)[ended] !== 1) await new Promise(setImmediate);
    const said = await textOf(socket);
    assert.ok(said.length < 64 * 1024 ** 2);
  });

  test('responses of HTTP/2 without flow control window', async () => {
    const session = connectHttp2(`http://127.0.0.1:${bench.gateway.portOf('web')}`, {
      settings: { initialWindowSize: 0 },
    });
    const streams = Array.from({ length: 200 }, () => session.request({ ':path': '/large' }));
    const closed = streams.map((stream) => {
      stream.on('error', () => undefined);
      return new Promise((resolve) => stream.once('close', resolve));
    });
    await Promise.all(closed);
    session.destroy();
    await assertAnswers();
  });
});

/** Clients that begin 18,000 requests at once, faster than they are handled. Each request is followed by what `endOf` returns. */
async function flood18000(endOf: (stream: number) => Buffer): Promise<readonly Socket[]> {
  const payload = Buffer.from(
    encodeFields([
      [':method', 'GET'],
      [':scheme', 'http'],
      [':authority', 'a'],
      [':path', '/'],
    ]),
  );
  const requests = Array.from({ length: 900 }, (_, index) => {
    const stream = 2 * index + 1;
    return [frame(TYPE.headers, { flags: 5, stream, payload }), endOf(stream)];
  });
  const begun = Buffer.concat([PREFACE, frame(TYPE.settings), ...requests.flat()]);
  const sockets = await Promise.all(Array.from({ length: 20 }, hostile));
  for (const socket of sockets) socket.resume().write(begun);
  return sockets;
}

function counted(metric: string, label = ''): number {
  return Object.entries(samplesOf(bench.gateway.metrics))
    .filter(([name]) => name.startsWith(metric) && name.includes(label))
    .reduce((sum, [, count]) => sum + count, 0);
}

const overloaded = (): number => counted('gateway_refused_total', '"overloaded"');

test('clients that begin requests faster than they are handled are refused', async () => {
  const before = overloaded();
  const sockets = await flood18000(() => Buffer.alloc(0));
  while (overloaded() === before) await new Promise((resolve) => setTimeout(resolve, 5));
  for (const socket of sockets) socket.destroy();
  // Until those that wait have had their turn.
  const url = `http://127.0.0.1:${bench.gateway.portOf('web')}/`;
  while ((await (await fetch(url)).text()) !== 'in') await new Promise((resolve) => setTimeout(resolve, 5));
});

test('requests that are reset before their turn do not wait for it, so none is refused', async () => {
  const before = { overloaded: overloaded(), requests: counted('gateway_requests_total') };
  const sockets = await flood18000((stream) => frame(3, { stream, payload: Buffer.alloc(4) }));
  // More than may wait. Each connection ends when it has reset its share.
  while (counted('gateway_requests_total') < before.requests + 3000)
    await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(overloaded(), before.overloaded);
  for (const socket of sockets) socket.destroy();
  await assertAnswers();
});

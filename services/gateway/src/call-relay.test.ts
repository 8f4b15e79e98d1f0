/** Calls of gRPC from node:http2's client through the gateway to node:http2's server. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  connect,
  constants,
  createServer,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { samplesOf } from '@tinkerbell/platform-metrics';
import { hurriedClock, startGateway, type GatewayBench } from './testing/gateway-bench.ts';

const MEGABYTE = 1024 * 1024;
const { NGHTTP2_CANCEL, NGHTTP2_NO_ERROR, NGHTTP2_REFUSED_STREAM } = constants;

let upstream: Http2Server;
let bench: GatewayBench;
let client: ClientHttp2Session;
/** The streams of the upstream by path. */
const opened = new Map<string, ServerHttp2Stream>();
const sessions: ServerHttp2Session[] = [];

const handlers: Record<string, (stream: ServerHttp2Stream) => void> = {
  '/a.B/Echo'(stream) {
    stream.respond(
      { ':status': 200, 'content-type': 'application/grpc', a: ['1', '2'] },
      { waitForTrailers: true },
    );
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0', 'grpc-message': 'fine' }));
    stream.pipe(stream);
  },
  '/a.B/TrailersOnly': (stream) =>
    stream.respond({ ':status': 200, 'grpc-status': '5' }, { endStream: true }),
  '/a.B/NoTrailers'(stream) {
    stream.respond({ ':status': 200 });
    stream.end('answer');
  },
  '/a.B/ResetBefore': (stream) => stream.close(NGHTTP2_REFUSED_STREAM),
  '/a.B/ResetAfter'(stream) {
    stream.respond({ ':status': 200 });
    stream.write('half', () => stream.close(constants.NGHTTP2_INTERNAL_ERROR));
  },
  '/a.B/Silent': (stream) => void stream.resume(),
  '/a.B/Endless'(stream) {
    stream.respond({ ':status': 200 });
    const part = Buffer.alloc(64 * 1024);
    const more = (): void => void stream.write(part, (error) => error ?? more());
    more();
  },
};

before(async () => {
  upstream = createServer();
  upstream.on('session', (session) => void sessions.push(session));
  upstream.on('stream', (one, headers) => {
    const stream = one as ServerHttp2Stream;
    stream.on('error', () => undefined);
    const path = String(headers[':path']);
    opened.set(path, stream);
    handlers[path]?.(stream);
  });
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  const { port } = upstream.address() as AddressInfo;
  const to = `upstream: {protocol: h2c, endpoints: "127.0.0.1:${port}"}`;
  bench = await startGateway(
    `listeners: [{name: web, address: 127.0.0.1, port: 0}]
routes:
  - {name: late, match: {pathPrefix: /a.B/Silent, headers: {deadline: "1"}}, middlewares: {answerTimeout: 10s}, ${to}}
  - {name: r, middlewares: {headers: {response: {x-route: r}}}, ${to}}\n`,
    hurriedClock,
  );
  client = connect(`http://127.0.0.1:${bench.gateway.portOf('web')}`);
  await once(client, 'connect');
});
after(async () => {
  client.destroy();
  await bench[Symbol.asyncDispose]();
  upstream.close();
});

function call(path: string, headers: Readonly<Record<string, string>> = {}): ClientHttp2Stream {
  const stream = client.request({
    ':method': 'POST',
    ':path': path,
    ':authority': 'a.example.org',
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  });
  return stream.on('error', () => undefined);
}

async function answerTo(stream: ClientHttp2Stream) {
  const parts: Buffer[] = [];
  let head: Record<string, unknown> = {};
  let trailers: Record<string, unknown> = {};
  stream.on('response', (fields) => void (head = fields));
  stream.on('trailers', (fields) => void (trailers = fields));
  stream.on('data', (part: Buffer) => void parts.push(part));
  await once(stream, 'close');
  const status = trailers['grpc-status'] ?? head['grpc-status'];
  return { head, trailers, status, body: Buffer.concat(parts), code: stream.rstCode };
}

const soon = () => new Promise((resolve) => setTimeout(resolve, 5));

test('header fields, messages of any size and trailers pass in both directions', async () => {
  const bodies = [0, 1, 70_000, 3 * MEGABYTE].map((size, index) => Buffer.alloc(size, `${index}`));
  const answers = await Promise.all(
    bodies.map((body) => {
      const stream = call('/a.B/Echo');
      stream.end(body);
      return answerTo(stream);
    }),
  );
  for (const [index, { head, trailers, body, code }] of answers.entries()) {
    assert.ok(body.equals(bodies[index]!), `body ${index}`);
    assert.deepEqual([head[':status'], head['a'], head['x-route']], [200, '1, 2', 'r']);
    assert.deepEqual([trailers['grpc-status'], trailers['grpc-message']], ['0', 'fine']);
    assert.equal(code, NGHTTP2_NO_ERROR);
  }
});

test('messages pass while both sides are open', async () => {
  const stream = call('/a.B/Echo');
  for (const text of ['one', 'two', 'three']) {
    stream.write(text);
    const [part] = (await once(stream, 'data')) as [Buffer];
    assert.equal(part.toString(), text);
  }
  stream.end();
  assert.equal((await answerTo(stream)).status, '0');
});

test('an answer of header fields only stays one', async () => {
  const stream = call('/a.B/TrailersOnly');
  const [head, flags] = await once(stream, 'response');
  assert.deepEqual([head['grpc-status'], flags & constants.NGHTTP2_FLAG_END_STREAM], ['5', 1]);
});

test('a call whose upstream ends early has failed, before and after its answer began', async () => {
  for (const [path, text] of [
    ['/a.B/NoTrailers', 'answer'],
    ['/a.B/ResetAfter', 'half'],
    ['/a.B/ResetBefore', ''],
  ] as const) {
    const stream = call(path);
    stream.end('question');
    const { status, body } = await answerTo(stream);
    assert.deepEqual([status, body.toString()], ['14', text], path);
  }
});

test('a client that cancels ends the call of the upstream, with or without an answer', async () => {
  for (const path of ['/a.B/Silent', '/a.B/Endless']) {
    opened.delete(path);
    const stream = call(path);
    stream.write('question');
    while (opened.get(path) === undefined) await soon();
    const theirs = opened.get(path)!;
    const closed = new Promise((resolve) => theirs.once('close', resolve));
    stream.close(NGHTTP2_CANCEL);
    await closed;
    assert.equal(theirs.rstCode, NGHTTP2_CANCEL, path);
  }
});

test('a call beyond the time limit of its route is answered and cancelled', async () => {
  opened.delete('/a.B/Silent');
  const stream = call('/a.B/Silent', { deadline: '1' });
  stream.end('question');
  assert.equal((await answerTo(stream)).status, '4');
  const theirs = opened.get('/a.B/Silent')!;
  while (!theirs.closed) await soon();
  assert.equal(theirs.rstCode, NGHTTP2_CANCEL);
});

test('what a client does not read waits in the upstream, up to the window of a stream', async () => {
  const held = (): number => samplesOf(bench.gateway.metrics)['gateway_held_bytes'] ?? 0;
  const stream = call('/a.B/Endless');
  stream.pause();
  for (let [before, same] = [0, 0]; same < 20;) {
    await soon();
    same = held() > 0 && held() === before ? same + 1 : 0;
    before = held();
  }
  assert.ok(held() <= MEGABYTE, `${held()}`);
  // Another call is not stopped by it.
  const other = call('/a.B/Echo');
  other.end('other');
  assert.equal((await answerTo(other)).body.toString(), 'other');
  stream.close(NGHTTP2_CANCEL);
  while (held() > 0) await soon();
});

test('when the upstream leaves, its calls end, and the next one has another connection', async () => {
  const open = call('/a.B/Echo');
  open.write('one');
  await once(open, 'data');
  const before = sessions.length;
  sessions.at(-1)?.goaway();
  open.end('two');
  assert.equal((await answerTo(open)).status, '0');
  const next = call('/a.B/Echo');
  next.end('three');
  assert.equal((await answerTo(next)).body.toString(), 'three');
  assert.equal(sessions.length, before + 1);
});

test('a port that closes lets calls end, and accepts no further one', async () => {
  const open = call('/a.B/Echo');
  open.write('one');
  await once(open, 'data');
  const left = once(client, 'goaway');
  await bench.use('listeners: []\n');
  await left;
  open.end('two');
  assert.equal((await answerTo(open)).status, '0');
  await once(client, 'close');
});

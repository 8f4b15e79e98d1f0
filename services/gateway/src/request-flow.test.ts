import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import {
  createServer as createHttp2,
  connect,
  type ClientHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { connect as tcpConnect, type AddressInfo, type Server } from 'node:net';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { startGateway, type GatewayBench } from './testing/gateway-bench.ts';

async function listening(server: Server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, [Symbol.dispose]: () => void server.close() };
}

const http1 = (listener: RequestListener) => listening(createServer(listener));

const listener = `listeners:
  - {name: web, address: 127.0.0.1, port: 0, tls: {certificates: [{certFile: FOLDER/a.pem, keyFile: FOLDER/a.key}]}}
`;

function routeTo(port: number, rest = '') {
  return `${listener}routes:\n  - {name: r, upstream: {endpoints: "127.0.0.1:${port}"}${rest}}\n`;
}

async function ask(bench: GatewayBench, options: RequestOptions, body?: string | Uint8Array) {
  const { headers, ...others } = options;
  const request = httpsRequest({
    host: '127.0.0.1',
    port: bench.gateway.portOf('web'),
    servername: 'a.example.org',
    headers: { host: 'a.example.org', ...(headers as object) },
    ca: bench.ca,
    agent: false,
    ...others,
  });
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const chunks = await response.toArray();
  return {
    response,
    status: response.statusCode,
    bytes: Buffer.concat(chunks),
    text: Buffer.concat(chunks).toString(),
  };
}

function session(bench: GatewayBench): ClientHttp2Session {
  return connect(`https://a.example.org:${bench.gateway.portOf('web')}`, {
    ca: bench.ca,
    host: '127.0.0.1',
    servername: 'a.example.org',
    maxSessionMemory: 100,
  } as object);
}

async function call(client: ClientHttp2Session, headers: Record<string, string>, body?: Uint8Array) {
  const stream = client.request(headers, { endStream: body === undefined });
  if (body !== undefined) stream.end(body);
  let trailers: Record<string, unknown> | undefined;
  stream.on('trailers', (fields) => (trailers = { ...fields }));
  const [head, flags] = await once(stream, 'response');
  const bytes = Buffer.concat(await stream.toArray());
  return { head, isEnd: (flags & 1) === 1, bytes, trailers: () => trailers };
}

test('forwards a request, with the facts of its origin', async () => {
  using upstream = await http1((request, response) => {
    request
      .resume()
      .on('end', () => response.end(JSON.stringify([request.method, request.url, request.headers])));
  });
  await using bench = await startGateway(routeTo(upstream.port));
  const { status, text, response } = await ask(bench, {
    path: '/a//%62?x=1',
    headers: {
      'x-forwarded-for': '6.6.6.6',
      'x-forwarded-proto': 'spoof',
      forwarded: 'for=6.6.6.6',
      connection: 'x-secret, close',
      'x-secret': '1',
      'x-other': '2',
    },
  });
  const [method, url, headers] = JSON.parse(text);
  assert.deepEqual([status, method, url], [200, 'GET', '/a/b?x=1']);
  assert.equal(headers['x-forwarded-for'], '127.0.0.1');
  assert.equal(headers['x-forwarded-proto'], 'https');
  assert.equal(headers['x-forwarded-host'], 'a.example.org');
  assert.deepEqual([headers.host, headers['x-other']], ['a.example.org', '2']);
  assert.deepEqual([headers.forwarded, headers['x-secret']], [undefined, undefined]);
  assert.match(headers.traceparent, /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  assert.equal(response.headers['keep-alive'], undefined);
});

test('streams a large body in both directions without buffering it', async () => {
  using upstream = await http1((request, response) => void request.pipe(response));
  await using bench = await startGateway(routeTo(upstream.port));
  const body = new Uint8Array(20_000_000).map((_, at) => at % 251);
  const up = await ask(bench, { method: 'POST' }, body);
  assert.ok(up.bytes.equals(body));
  await using client = asyncSession(bench);
  const down = await call(client.session, { ':path': '/', ':method': 'POST' }, body);
  assert.ok(down.bytes.equals(body));
});

function asyncSession(bench: GatewayBench) {
  const client = session(bench);
  return {
    session: client,
    async [Symbol.asyncDispose]() {
      client.close();
      await once(client, 'close');
    },
  };
}

test('forwards gRPC: trailers, trailers alone, and both directions at once', async () => {
  const server = createHttp2();
  server.on('stream', (one, headers) => {
    const stream = one as ServerHttp2Stream;
    if (headers[':path'] === '/s.S/Refused')
      return stream.respond(
        { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '5' },
        { endStream: true },
      );
    if (headers[':path'] === '/s.S/Dies') {
      stream.respond({ ':status': 200 });
      stream.write('x', () => stream.close(8));
      return;
    }
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0', te: String(headers['te']) }));
    stream.pipe(stream);
  });
  using upstream = await listening(server);
  await using bench = await startGateway(
    `${listener}routes:\n  - {name: g, match: {grpcService: s.S}, upstream: {protocol: h2c, endpoints: "127.0.0.1:${upstream.port}"}}\n` +
      `  - {name: down, match: {pathPrefix: /down}, upstream: {protocol: h2c, endpoints: "127.0.0.1:1"}}\n`,
  );
  await using client = asyncSession(bench);
  const grpc = { ':method': 'POST', 'content-type': 'application/grpc', te: 'trailers' };
  const refused = await call(client.session, { ...grpc, ':path': '/s.S/Refused' }, Buffer.of(0));
  assert.deepEqual([refused.head['grpc-status'], refused.isEnd], ['5', true]);
  const dead = await call(client.session, { ...grpc, ':path': '/s.S/Dies' }, Buffer.of(0));
  assert.equal(dead.trailers()?.['grpc-status'], '14');
  const down = await call(client.session, { ...grpc, ':path': '/down' }, Buffer.of(0));
  assert.deepEqual([down.head['grpc-status'], down.isEnd], ['14', true]);
  const nowhere = await call(client.session, { ...grpc, ':path': '/x' }, Buffer.of(0));
  assert.deepEqual([nowhere.head[':status'], nowhere.head['grpc-status']], [200, '12']);

  const stream = client.session.request({ ...grpc, ':path': '/s.S/Echo' });
  const ended = once(stream, 'trailers');
  for (const word of ['one', 'two']) {
    stream.write(word);
    assert.equal(String((await once(stream, 'data'))[0]), word);
  }
  stream.end();
  const [trailers] = await ended;
  assert.equal(trailers['grpc-status'], '0');
  assert.equal(server.listening, true);
});

test('answers 502 when the upstream is down, and aborts an incomplete response', async () => {
  using upstream = await http1((request, response) => {
    if (request.url === '/whole') return void response.end('x');
    response.writeHead(200, { 'content-length': '100' });
    response.write('half', () => response.destroy());
  });
  await using bench = await startGateway(routeTo(1));
  assert.equal((await ask(bench, {})).status, 502);
  await bench.use(routeTo(upstream.port));
  assert.equal((await ask(bench, { path: '/whole' })).text, 'x');
  await assert.rejects(ask(bench, {}), /aborted|ECONNRESET/);
});

test('tries the next endpoint only when that is harmless', async () => {
  let asked = 0;
  using dying = await http1((request) => {
    asked++;
    request.socket.destroy();
  });
  using good = await http1((_, response) => void response.end('good'));
  const both = (first: number) =>
    `${listener}routes:\n  - {name: r, upstream: {endpoints: ["127.0.0.1:${first}", "127.0.0.1:${good.port}"]}}\n`;
  await using bench = await startGateway(both(1));
  for (const method of ['GET', 'POST', 'GET'])
    assert.equal((await ask(bench, { method }, method === 'POST' ? 'x' : undefined)).text, 'good');
  await bench.use(both(dying.port));
  assert.equal((await ask(bench, { method: 'POST' }, 'x')).status, 502);
  assert.equal(asked, 1);
});

test('limits: rate, concurrent requests, size, address', async () => {
  const held: (() => void)[] = [];
  using upstream = await http1((request, response) => {
    request.resume();
    if (request.url === '/hold') held.push(() => response.end());
    else response.end();
  });
  await using bench = await startGateway(
    routeTo(upstream.port, ', middlewares: {rateLimit: {average: 1, burst: 3}}'),
  );
  const statuses = [];
  for (let count = 0; count < 4; count++) statuses.push((await ask(bench, {})).status);
  assert.deepEqual(statuses, [200, 200, 200, 429]);
  await bench.use(routeTo(upstream.port, ', middlewares: {maxConnections: 1}'));
  const first = ask(bench, { path: '/hold' });
  while (held.length === 0) await new Promise(setImmediate);
  assert.equal((await ask(bench, {})).status, 503);
  held[0]?.();
  assert.equal((await first).status, 200);
  assert.equal((await ask(bench, {})).status, 200);
  await bench.use(routeTo(upstream.port, ', middlewares: {bodyBytesMax: 4}'));
  assert.equal((await ask(bench, { method: 'POST' }, 'four')).status, 200);
  assert.equal((await ask(bench, { method: 'POST' }, 'fives')).status, 413);
  const chunked = { method: 'POST', headers: { 'transfer-encoding': 'chunked' } };
  assert.equal((await ask(bench, chunked, 'fives')).status, 413);
  await bench.use(routeTo(upstream.port, ', middlewares: {ipAllow: [10.0.0.0/8]}'));
  assert.equal((await ask(bench, {})).status, 403);
});

test('compresses text, and leaves compressed content alone', async () => {
  using upstream = await http1((request, response) => {
    if (request.url === '/z') response.setHeader('content-encoding', 'gzip');
    response.setHeader('content-type', 'application/json');
    response.end('1'.repeat(5000));
  });
  await using bench = await startGateway(routeTo(upstream.port, ', middlewares: {compress: true}'));
  const headers = { 'accept-encoding': 'gzip' };
  const small = await ask(bench, { headers });
  assert.equal(gunzipSync(small.bytes).toString(), '1'.repeat(5000));
  assert.equal((await ask(bench, { path: '/z', headers })).bytes.length, 5000);
  assert.equal((await ask(bench, {})).response.headers['content-encoding'], undefined);
});

/** Sends raw bytes to a plain port. Resolves with everything that was received. */
async function raw(bench: GatewayBench, bytes: string): Promise<string> {
  const socket = tcpConnect(bench.gateway.portOf('web'), '127.0.0.1');
  socket.write(bytes);
  const chunks: Buffer[] = await socket.toArray();
  return Buffer.concat(chunks).toString('latin1');
}

test('refuses what two programs could interpret differently', async () => {
  let asked = 0;
  using upstream = await http1((_, response) => {
    asked++;
    response.end('in');
  });
  await using bench = await startGateway(
    `listeners: [{name: web, address: 127.0.0.1, port: 0}]\nroutes: [{name: r, upstream: {endpoints: "127.0.0.1:${upstream.port}"}}]`,
  );
  for (const lines of [
    'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\nConnection: close\r\n\r\nxx',
    'GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\nConnection: close\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\nConnection: close\r\n\r\n0\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: a\r\nAuthorization: x\r\nAuthorization: y\r\nConnection: close\r\n\r\n',
    'GET /../a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    'GET http://b/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    'GET / HTTP/1.1\r\nConnection: close\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: a/b\r\nConnection: close\r\n\r\n',
  ])
    assert.match(await raw(bench, lines), /^HTTP\/1\.1 400/, lines);
  assert.equal(asked, 0);
  assert.match(
    await raw(bench, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'),
    /^HTTP\/1\.1 200[^]*in/,
  );
});

test('speaks HTTP/2 on a plain port, and survives a flood of resets', async () => {
  let asked = 0;
  using upstream = await http1((_, response) => {
    asked++;
    response.end('in');
  });
  await using bench = await startGateway(
    `listeners: [{name: web, address: 127.0.0.1, port: 0}]\nroutes: [{name: r, upstream: {endpoints: "127.0.0.1:${upstream.port}"}}]`,
  );
  const url = `http://127.0.0.1:${bench.gateway.portOf('web')}`;
  const flood = connect(url);
  flood.on('error', () => undefined);
  const closed = new Promise((resolve) => flood.once('close', resolve));
  await once(flood, 'remoteSettings');
  for (let count = 0; count < 2000 && !flood.destroyed; count++) {
    const stream = flood.request({ ':path': '/' });
    stream.on('error', () => undefined);
    stream.close(8);
    if (count % 100 === 0) await new Promise(setImmediate);
  }
  await closed;
  assert.ok(asked < 2000);
  const client = connect(url);
  assert.equal(String((await call(client, { ':path': '/' })).bytes), 'in');
  client.close();
});

/** WebSockets through the gateway, with the client of Node and both sides of the library ws. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { WebSocket as WsClient, WebSocketServer } from 'ws';
import { startGateway } from './testing/gateway-bench.ts';

/** Echoes messages, refuses the path /no, and answers other requests with their path. */
async function echoing() {
  const asked: IncomingMessage[] = [];
  const http = createServer((request, response) => {
    asked.push(request);
    response.end(`path ${request.url}`);
  });
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => 'console' });
  http.on('upgrade', (request, socket, head) => {
    asked.push(request);
    if (request.url === '/no') return socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno');
    sockets.handleUpgrade(request, socket, head, (opened) => {
      opened.on('message', (data, isBinary) => opened.send(data, { binary: isBinary }));
      if (request.url === '/end') opened.close(4001, 'over');
    });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  return {
    port,
    asked,
    [Symbol.dispose]() {
      for (const one of sockets.clients) one.terminate();
      http.close();
    },
  };
}

const listener = 'listeners: [{name: web, address: 127.0.0.1, port: 0}]\n';
const routesTo = (port: number, middlewares = '') =>
  `${listener}routes: [{name: r, upstream: {endpoints: "127.0.0.1:${port}"}${middlewares}}]\n`;

function opened(port: number, path = '/'): WebSocket {
  return new WebSocket(`ws://127.0.0.1:${port}${path}`, ['console']);
}

async function messageOf(socket: WebSocket, text: string): Promise<unknown> {
  const next = once(socket, 'message');
  socket.send(text);
  const [event]: unknown[] = await next;
  return (event as MessageEvent).data;
}

/** Writes bytes, and returns everything that arrives until the gateway ends the connection. */
async function raw(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(text);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  return answer;
}

const ASKS =
  'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n';

test('messages go both ways, with the subprotocol, and the upstream learns who asks', async () => {
  using upstream = await echoing();
  await using bench = await startGateway(routesTo(upstream.port));
  const socket = opened(bench.gateway.portOf('web'), '/a?b=c');
  await once(socket, 'open');
  assert.equal(socket.protocol, 'console');
  assert.equal(await messageOf(socket, 'hello'), 'hello');
  const long = 'x'.repeat(1_000_000);
  assert.equal(await messageOf(socket, long), long);
  const [request] = upstream.asked;
  assert.equal(request?.url, '/a?b=c');
  assert.equal(request?.headers['x-forwarded-for'], '127.0.0.1');
  socket.close();
  await once(socket, 'close');
});

test('works over TLS, and the close of the upstream arrives with its code', async () => {
  using upstream = await echoing();
  const tls =
    '{name: web, address: 127.0.0.1, port: 0, tls: {certificates: [{certFile: FOLDER/a.pem, keyFile: FOLDER/a.key}]}}';
  await using bench = await startGateway(
    `listeners: [${tls}]\nroutes: [{name: r, upstream: {endpoints: "127.0.0.1:${upstream.port}"}}]\n`,
  );
  const url = `wss://127.0.0.1:${bench.gateway.portOf('web')}/end`;
  const trust = { ca: bench.ca, servername: 'a.example.org' };
  const socket = new WsClient(url, [], trust);
  const [code, reason]: unknown[] = await once(socket, 'close');
  assert.deepEqual([code, String(reason)], [4001, 'over']);
});

test('a refusal of the upstream, and one of the gateway, end the request like any other', async () => {
  using upstream = await echoing();
  await using bench = await startGateway(routesTo(upstream.port));
  const port = bench.gateway.portOf('web');
  assert.match(
    await raw(port, `GET /no HTTP/1.1\r\nHost: a\r\n${ASKS}\r\n`),
    /^HTTP\/1\.1 403 .*\r\n\r\nno$/s,
  );
  await bench.use(routesTo(upstream.port, ', middlewares: {ipAllow: ["192.0.2.0/24"]}'));
  assert.match(await raw(port, `GET / HTTP/1.1\r\nHost: a\r\n${ASKS}\r\n`), /^HTTP\/1\.1 403 /);
  assert.equal(upstream.asked.length, 1);
});

test('a request for a WebSocket with a body reaches nobody, and what follows it is not another request', async () => {
  using upstream = await echoing();
  await using bench = await startGateway(routesTo(upstream.port));
  const port = bench.gateway.portOf('web');
  const hidden = 'GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n';
  for (const fields of [`Content-Length: ${hidden.length}\r\n`, 'Transfer-Encoding: chunked\r\n'])
    assert.match(
      await raw(port, `GET / HTTP/1.1\r\nHost: a\r\n${fields}${ASKS}\r\n${hidden}`),
      /^HTTP\/1\.1 400 [^]*$/,
    );
  assert.match(await raw(port, `GET /no HTTP/1.1\r\nHost: a\r\n${ASKS}\r\n${hidden}`), /^HTTP\/1\.1 403 /);
  assert.deepEqual(
    upstream.asked.map(({ url }) => url),
    ['/no'],
  );
});

test('an open WebSocket counts as a request of its client', async () => {
  using upstream = await echoing();
  await using bench = await startGateway(routesTo(upstream.port, ', middlewares: {maxConnections: 1}'));
  const port = bench.gateway.portOf('web');
  const socket = opened(port);
  await once(socket, 'open');
  assert.equal((await fetch(`http://127.0.0.1:${port}/`)).status, 503);
  socket.close();
  await once(socket, 'close');
  while ((await fetch(`http://127.0.0.1:${port}/`)).status !== 200);
});

test('a client that leaves ends the connection of the upstream', async () => {
  using upstream = await echoing();
  await using bench = await startGateway(routesTo(upstream.port));
  const socket = connect(bench.gateway.portOf('web'), '127.0.0.1');
  socket.write(`GET / HTTP/1.1\r\nHost: a\r\n${ASKS}\r\n`);
  assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 101 /);
  const [request] = upstream.asked;
  assert.ok(request !== undefined);
  const closed = once(request.socket, 'close');
  socket.destroy();
  await closed;
});

test('other upgrades are answered as if they had not been asked for', async () => {
  using upstream = await echoing();
  await using bench = await startGateway(routesTo(upstream.port));
  const port = bench.gateway.portOf('web');
  const h2c = 'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings, close\r\nHTTP2-Settings: AAA\r\n';
  assert.match(await raw(port, `GET /p HTTP/1.1\r\nHost: a\r\n${h2c}\r\n`), /^HTTP\/1\.1 200 .*path \/p$/s);
});

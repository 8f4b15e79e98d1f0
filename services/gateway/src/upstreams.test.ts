import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { connect, createSecureServer } from 'node:http2';
import { createServer as createTcp, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { samplesOf } from '@tinkerbell/platform-metrics';
import { hurriedClock, startGateway, type GatewayBench } from './testing/gateway-bench.ts';

async function listening(server: Server, port = 0) {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, [Symbol.dispose]: () => void server.close() };
}

const web = 'listeners: [{name: web, address: 127.0.0.1, port: 0}]\n';
const http1 = (listener: RequestListener) => listening(createServer(listener));

async function get(bench: GatewayBench): Promise<readonly [status: number, text: string]> {
  const response = await fetch(`http://127.0.0.1:${bench.gateway.portOf('web')}/`);
  return [response.status, await response.text()];
}

async function until(bench: GatewayBench, name: string, value: number): Promise<void> {
  while (samplesOf(bench.gateway.metrics)[name] !== value) await new Promise(setImmediate);
}

test('HTTP/2 over TLS: the upstream presents a certificate of the authority, for its name', async () => {
  await using bench = await startGateway(web);
  const read = (name: string) => readFileSync(join(bench.folder, name));
  const server = createSecureServer({ key: read('a.key'), cert: read('a.pem') }, (request, response) => {
    response.end(`${request.httpVersion} ${String(request.headers['x-forwarded-proto'])}`);
  });
  using upstream = await listening(server);
  const use = (rest: string) =>
    bench.use(
      `${web}routes: [{name: r, upstream: {protocol: h2, endpoints: "127.0.0.1:${upstream.port}"${rest}}}]`,
    );
  await use(', caFile: FOLDER/ca.pem, serverName: files.example.org');
  assert.deepEqual(await get(bench), [200, '2.0 http']);
  await use(', caFile: FOLDER/ca.pem, serverName: files.example.net');
  assert.match((await get(bench)).join(' '), /^502 .*does not match/);
  await use(', serverName: files.example.org');
  assert.match((await get(bench)).join(' '), /^502 .*certificate/);
  await bench.use(web);
});

test('health checks by path remove and restore an endpoint after the configured number of checks', async () => {
  let isSick = true;
  let asked = 0;
  using sick = await http1((request, response) => {
    if (request.url === '/healthz') {
      asked += 1;
      return void response.writeHead(isSick ? 503 : 200).end();
    }
    response.end('sick');
  });
  using well = await http1((_, response) => void response.end('well'));
  await using bench = await startGateway(
    `${web}routes: [{name: r, upstream: {endpoints: ["127.0.0.1:${sick.port}", "127.0.0.1:${well.port}"], healthCheck: {path: /healthz, interval: 1s, unhealthyAfter: 3, healthyAfter: 2}}}]`,
    hurriedClock,
  );
  const gauge = `gateway_upstream_healthy{endpoint="127.0.0.1:${sick.port}"}`;
  await until(bench, gauge, 0);
  assert.equal(asked, 3);
  const answers = new Set<string>();
  for (let count = 0; count < 4; count += 1) answers.add((await get(bench))[1]);
  assert.deepEqual([...answers], ['well']);
  isSick = false;
  await until(bench, gauge, 1);
  for (let count = 0; count < 4; count += 1) answers.add((await get(bench))[1]);
  assert.deepEqual([...answers].toSorted(), ['sick', 'well']);
});

test('health checks without a path test whether a TCP connection is accepted', async () => {
  const server = createTcp((socket) => socket.destroy());
  const there = await listening(server);
  const { port } = there;
  await using bench = await startGateway(
    `${web}routes: [{name: r, upstream: {endpoints: "127.0.0.1:${port}", healthCheck: {interval: 1s, unhealthyAfter: 1}}}]`,
    hurriedClock,
  );
  const gauge = `gateway_upstream_healthy{endpoint="127.0.0.1:${port}"}`;
  await until(bench, gauge, 1);
  server.close();
  await until(bench, gauge, 0);
  using again = await listening(
    createTcp((socket) => socket.destroy()),
    port,
  );
  assert.equal(again.port, port);
  await until(bench, gauge, 1);
});

test('an endpoint that disconnects is tried last, and a GET is answered by the next one', async () => {
  let broken = 0;
  using breaking = await http1((request) => {
    broken += 1;
    request.socket.destroy();
  });
  using good = await http1((_, response) => void response.end('good'));
  await using bench = await startGateway(
    `${web}routes: [{name: r, upstream: {endpoints: ["127.0.0.1:${breaking.port}", "127.0.0.1:${good.port}"]}}]`,
  );
  for (let count = 0; count < 10; count += 1) assert.deepEqual(await get(bench), [200, 'good']);
  assert.ok(broken >= 1 && broken <= 3, `${broken} of 10`);
  assert.equal(
    samplesOf(bench.gateway.metrics)[
      `gateway_upstream_failures_total{endpoint="127.0.0.1:${breaking.port}"}`
    ],
    broken,
  );
});

const routeTo = (port: number): string =>
  `${web}routes: [{name: r, upstream: {endpoints: "127.0.0.1:${port}"}}]`;

test('an upstream gets the head of a request whose body has not arrived, and its answer reaches the client', async () => {
  using upstream = await http1((_, response) => void response.writeHead(401).end('who?'));
  await using bench = await startGateway(routeTo(upstream.port));
  const session = connect(`http://127.0.0.1:${bench.gateway.portOf('web')}`);
  const stream = session.request({ ':method': 'PUT', ':path': '/', ':authority': 'a' }, { endStream: false });
  const [head] = (await once(stream, 'response')) as [{ ':status': number }];
  assert.equal(head[':status'], 401);
  session.destroy();
});

test('a client that leaves before the answer is not a failure of the upstream', async () => {
  const server = createServer(() => undefined);
  const asked = once(server, 'request');
  using upstream = await listening(server);
  await using bench = await startGateway(routeTo(upstream.port));
  const session = connect(`http://127.0.0.1:${bench.gateway.portOf('web')}`);
  session.request({ ':path': '/', ':authority': 'a' }).on('error', () => undefined);
  await asked;
  session.destroy();
  await until(bench, 'gateway_requests_total{route="r",code="499"}', 1);
  const samples = samplesOf(bench.gateway.metrics);
  assert.equal(samples['gateway_refused_total{route="r",reason="client-gone"}'], 1);
  assert.ok(!Object.keys(samples).some((name) => name.includes('upstream-down')));
});

import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { EndpointRequest, EndpointTrust } from '@tinkerbell/platform-contract';
import { certify, ecdsaKey, rsaKey } from '@tinkerbell/platform-x509';
import { openNodeEndpointHttp } from './index.ts';
import { nodeHttp } from './node-http.ts';

const DAY_MS = 86_400_000;
const NOW_MS = new Date().getTime();

function certificateFrom(nowMs: number, key = ecdsaKey('P-256')) {
  const request = {
    commonName: 'bmc',
    ips: ['127.0.0.1'],
    dnsNames: [],
    daysValid: 10,
    isAuthority: true,
    key,
  };
  const made = certify(request, nowMs);
  assert.ok(made.ok);
  return { cert: made.certificate, key: made.key };
}

const today = certificateFrom(NOW_MS);

function pinOf({ cert }: { readonly cert: string }): EndpointTrust {
  const sha256 = new X509Certificate(cert).fingerprint256.replaceAll(':', '').toLowerCase();
  return { kind: 'pin', sha256 };
}

async function serve(listener: RequestListener, options: ServerOptions = today) {
  return listening(createServer(options, listener), 'https');
}

async function listening(server: Server, scheme: string) {
  const connections = { count: 0 };
  server.on(scheme === 'https' ? 'secureConnection' : 'connection', () => (connections.count += 1));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: (path = '/') => new URL(`${scheme}://127.0.0.1:${port}${path}`),
    connections,
    server,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const get: EndpointRequest = { method: 'GET', trust: { kind: 'any' }, timeoutMs: 20_000, bytesMax: 1000 };

test('sends method, headers and body, and keeps the connection for the next request', async () => {
  await using server = await serve(async (request, response) => {
    const body = (await request.toArray()).join('');
    const { 'content-length': length, 'accept-encoding': encoding, 'x-a': a } = request.headers;
    response.setHeader('etag', '"1"').end(JSON.stringify([request.method, a, body, length, encoding]));
  });
  await using http = openNodeEndpointHttp();
  const patch = { ...get, method: 'PATCH', headers: { 'X-A': 'b' }, body: '{"ü":1}' };
  const answer = await http.request(server.url(), patch);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('ETag'), '"1"');
  assert.deepEqual(JSON.parse(answer.body), ['PATCH', 'b', '{"ü":1}', '8', 'identity']);
  await http.request(server.url(), get);
  assert.equal(server.connections.count, 1);
});

test('returns a redirect and does not follow it', async () => {
  await using server = await serve((_, response) => {
    response.writeHead(302, { location: 'https://127.0.0.1:1/' }).end();
  });
  await using http = openNodeEndpointHttp();
  const answer = await http.request(server.url(), get);
  assert.equal(answer.status, 302);
  assert.equal(answer.headers.get('location'), 'https://127.0.0.1:1/');
});

test('trusts the pinned certificate, and sends no request to another one', async () => {
  const requests: string[] = [];
  await using server = await serve((request, response) => {
    requests.push(request.url ?? '');
    response.end();
  });
  await using http = openNodeEndpointHttp();
  const pin = pinOf(today);
  assert.equal((await http.request(server.url('/pinned'), { ...get, trust: pin })).status, 200);
  assert.deepEqual(pin, { kind: 'pin', sha256: http.certificateSha256() });
  const other: EndpointTrust = { kind: 'pin', sha256: '0'.repeat(64) };
  await assert.rejects(http.request(server.url('/other'), { ...get, trust: other }), {
    code: 'untrusted-certificate',
    message: /^127\.0\.0\.1:\d+: the certificate has the SHA-256 [0-9a-f]{64}, and the pin is 0{64}$/,
  });
  assert.deepEqual(requests, ['/pinned']);
});

test('does not use a connection that only another trust accepts', async () => {
  await using server = await serve((_, response) => void response.end());
  await using http = openNodeEndpointHttp();
  await http.request(server.url(), get);
  const nobody: EndpointTrust = { kind: 'authorities', certificates: [] };
  await assert.rejects(http.request(server.url(), { ...get, trust: nobody }), {
    code: 'untrusted-certificate',
  });
});

test('verifies authority, time and name', async () => {
  const old = certificateFrom(NOW_MS - 100 * DAY_MS);
  const future = certificateFrom(NOW_MS + 100 * DAY_MS);
  const cases = [
    { server: today, authority: today, code: undefined },
    { server: today, authority: old, code: 'untrusted-certificate' },
    { server: old, authority: old, code: 'expired-certificate' },
    { server: future, authority: future, code: 'expired-certificate' },
  ];
  for (const { server: options, authority, code } of cases) {
    await using server = await serve((_, response) => void response.end(), options);
    await using http = openNodeEndpointHttp();
    const trust: EndpointTrust = { kind: 'authorities', certificates: [authority.cert] };
    const asked = http.request(server.url(), { ...get, trust });
    if (code === undefined) await asked;
    else await assert.rejects(asked, { code });
    if (code !== undefined) continue;
    const byName = new URL(server.url().href.replace('127.0.0.1', 'localhost'));
    await assert.rejects(http.request(byName, { ...get, trust }), { code: 'untrusted-certificate' });
  }
});

test('accepts the weak key of an old BMC when nothing or a pin decides', async () => {
  const weak = certificateFrom(NOW_MS, rsaKey(768));
  const options = { ...weak, ciphers: 'DEFAULT:@SECLEVEL=0' };
  await using server = await serve((_, response) => void response.end(), options);
  await using http = openNodeEndpointHttp();
  await http.request(server.url(), get);
  await http.request(server.url(), { ...get, trust: pinOf(weak) });
});

test('refuses an answer over the limit, with or without a length', async () => {
  const tenMegabytes = 10_000_000;
  await using server = await serve((request, response) => {
    if (request.url === '/length') response.setHeader('content-length', tenMegabytes);
    for (let left = tenMegabytes; left > 0; left -= 100_000) response.write(' '.repeat(100_000));
    response.end();
  });
  await using http = openNodeEndpointHttp();
  for (const path of ['/length', '/chunks']) {
    await assert.rejects(http.request(server.url(path), get), {
      code: 'too-large',
      message: /more than 1000 bytes$/,
    });
  }
});

test('refuses a compressed answer', async () => {
  await using server = await serve((_, response) => {
    response.setHeader('content-encoding', 'gzip').end('x');
  });
  await using http = openNodeEndpointHttp();
  await assert.rejects(http.request(server.url(), get), { code: 'broken', message: /compressed \(gzip\)/ });
});

test('limits the whole exchange, however often a byte arrives', async () => {
  await using server = await serve((request, response) => {
    const drip = setInterval(() => response.write(' '), 10);
    request.once('close', () => clearInterval(drip));
  });
  await using http = openNodeEndpointHttp();
  await assert.rejects(http.request(server.url(), { ...get, timeoutMs: 300 }), {
    code: 'timed-out',
    message: /no complete answer within 300 ms$/,
  });
});

test('reports a handshake that never ends as unreachable', async () => {
  const server = createTcpServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await using http = openNodeEndpointHttp();
  await assert.rejects(http.request(new URL(`https://127.0.0.1:${port}/`), { ...get, timeoutMs: 200 }), {
    code: 'unreachable',
    message: `127.0.0.1:${port}: no connection within 200 ms`,
  });
  server.close();
});

test('reports connections that end early', async () => {
  await using server = await serve((request, response) => {
    response.setHeader('content-length', 100).write('half');
    if (request.url === '/reset') request.socket.destroy();
    else request.socket.end();
  });
  await using http = openNodeEndpointHttp();
  for (const path of ['/reset', '/end']) {
    await assert.rejects(http.request(server.url(path), get), { code: 'broken' });
  }
});

test('reports a port that nobody serves, and one that speaks no TLS', async () => {
  await using plain = await listening(
    nodeHttp.createServer((_, response) => void response.end('plain')),
    'http',
  );
  const url = plain.url();
  await using http = openNodeEndpointHttp();
  assert.equal((await http.request(url, get)).body, 'plain');
  await assert.rejects(http.request(new URL(url.href.replace('http:', 'https:')), get), { code: 'broken' });
  plain.server.closeAllConnections();
  await new Promise((resolve) => plain.server.close(resolve));
  await assert.rejects(http.request(url, get), { code: 'unreachable', message: /ECONNREFUSED/ });
});

test('repeats only a GET when the endpoint has closed the kept connection', async () => {
  let requests = 0;
  await using server = await serve((request, response) => {
    requests += 1;
    // The second request on each connection finds it closed.
    if (requests % 2 === 0) request.socket.destroy();
    else response.end();
  });
  await using http = openNodeEndpointHttp();
  await http.request(server.url(), get);
  assert.equal((await http.request(server.url(), get)).status, 200);
  assert.equal(requests, 3);
  await assert.rejects(http.request(server.url(), { ...get, method: 'POST' }), { code: 'broken' });
  assert.equal(requests, 4);
});

test('ends the request when the signal aborts, before and during it', async () => {
  const abort = new AbortController();
  await using server = await serve(() => abort.abort());
  await using http = openNodeEndpointHttp();
  const request = { ...get, signal: abort.signal };
  await assert.rejects(http.request(server.url(), request), { code: 'aborted' });
  await assert.rejects(http.request(server.url(), request), { code: 'aborted' });
});

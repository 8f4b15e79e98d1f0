import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { EndpointRequest } from '@tinkerbell/platform-contract';
import { certify, ecdsaKey } from '@tinkerbell/platform-x509';
import { openNodeEndpointHttp } from './index.ts';

const DAY_MS = 86_400_000;
const any: EndpointRequest = { method: 'GET', trust: { kind: 'any' }, timeoutMs: 5000, bytesMax: 1000 };

function certificateFrom(nowMs: number): { readonly key: string; readonly cert: string } {
  const key = ecdsaKey('P-256');
  const request = {
    commonName: 'bmc',
    ips: ['127.0.0.1'],
    dnsNames: [],
    daysValid: 1,
    isAuthority: true,
    key,
  };
  const made = certify(request, nowMs);
  assert.ok(made.ok);
  return { key, cert: made.certificate };
}

const valid = certificateFrom(Date.now());
const sha256 = new X509Certificate(valid.cert).fingerprint256.replaceAll(':', '').toLowerCase();

async function serve(listener: RequestListener, tls?: { readonly key: string; readonly cert: string }) {
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  let connections = 0;
  server.on('connection', () => (connections += 1));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}/redfish/v1/`),
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('sends a body, returns status, headers and body, and keeps the connection', async () => {
  await using server = await serve((request, response) => {
    request.setEncoding('utf8');
    let text = '';
    request.on('data', (part: string) => (text += part));
    request.on('end', () => response.writeHead(201, { location: '/a' }).end(`${request.method} ${text}`));
  });
  await using http = openNodeEndpointHttp();
  const request = { ...any, method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'höhö' };
  for (let number = 0; number < 3; number += 1) {
    const answer = await http.request(server.url, request);
    assert.deepEqual([answer.status, answer.headers.get('Location'), answer.body], [201, '/a', 'POST höhö']);
  }
  assert.equal(server.connections(), 1);
});

test('returns a redirect instead of following it', async () => {
  await using server = await serve((_, response) =>
    response.writeHead(307, { location: 'http://192.0.2.66/' }).end(),
  );
  await using http = openNodeEndpointHttp();
  const { status, headers } = await http.request(server.url, any);
  assert.deepEqual([status, headers.get('location')], [307, 'http://192.0.2.66/']);
});

const broken: readonly (readonly [string, RequestListener, string])[] = [
  ['an answer over the limit', (_, response) => response.end('x'.repeat(1001)), 'too-large'],
  ['a connection that breaks', (request) => request.socket.destroy(), 'broken'],
  [
    'an answer that breaks',
    (_, response) => {
      response.write('x');
      setImmediate(() => response.destroy());
    },
    'broken',
  ],
  ['a BMC that does not answer', () => undefined, 'timed-out'],
  [
    'an answer that never ends',
    (_, response) => {
      response.write('x');
    },
    'timed-out',
  ],
];

for (const [name, listener, code] of broken) {
  test(`${name} fails with ${code}`, async () => {
    await using server = await serve(listener);
    await using http = openNodeEndpointHttp();
    await assert.rejects(http.request(server.url, { ...any, timeoutMs: 300 }), {
      name: 'EndpointError',
      code,
    });
  });
}

test('a port that nobody listens on is unreachable, and an aborted request is aborted', async () => {
  const server = await serve(() => undefined);
  await using http = openNodeEndpointHttp();
  const signal = AbortSignal.abort();
  await assert.rejects(http.request(server.url, { ...any, signal }), { code: 'aborted' });
  await server[Symbol.asyncDispose]();
  await assert.rejects(http.request(server.url, any), {
    code: 'unreachable',
    message: /127.0.0.1:\d+: connect ECONN/,
  });
});

test('a certificate is accepted by its authority, by its pin, or without a check', async () => {
  await using server = await serve((_, response) => response.end('ok'), valid);
  for (const trust of [
    { kind: 'any' },
    { kind: 'pin', sha256 },
    { kind: 'authorities', certificates: [valid.cert] },
  ] as const) {
    await using http = openNodeEndpointHttp();
    assert.equal((await http.request(server.url, { ...any, trust })).body, 'ok');
    assert.equal(http.certificateSha256(), sha256);
  }
});

test('a certificate that is not trusted gets no request', async () => {
  let requests = 0;
  await using server = await serve((_, response) => void ((requests += 1), response.end()), valid);
  const other = certificateFrom(Date.now());
  for (const trust of [
    { kind: 'pin', sha256: '00'.repeat(32) },
    { kind: 'authorities', certificates: [] },
    { kind: 'authorities', certificates: [other.cert] },
  ] as const) {
    await using http = openNodeEndpointHttp();
    const request = { ...any, trust, headers: { authorization: 'secret' } };
    await assert.rejects(http.request(server.url, request), { code: 'untrusted-certificate' });
  }
  assert.equal(requests, 0);
});

test('an expired certificate has a code of its own', async () => {
  const expired = certificateFrom(Date.now() - 3 * DAY_MS);
  await using server = await serve((_, response) => response.end(), expired);
  await using http = openNodeEndpointHttp();
  const trust = { kind: 'authorities', certificates: [expired.cert] } as const;
  await assert.rejects(http.request(server.url, { ...any, trust }), { code: 'expired-certificate' });
});

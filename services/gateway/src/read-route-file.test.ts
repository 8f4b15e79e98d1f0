import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRouteFile } from './read-route-file.ts';

const whole = `
trustedProxies: [10.0.0.0/8]
listeners:
  - name: web
    port: 443
    tls:
      certificates: [{ certFile: a.pem, keyFile: a.key }]
      minVersion: "1.2"
      clientCaFile: ca.pem
routes:
  - name: grpc
    listeners: [web]
    priority: 5
    match: { host: Tinkerbell-Server.example.org, grpcService: a.B, grpcMethod: C, headers: { X-A: "*" } }
    middlewares:
      validateJwt:
        issuer: https://issuer
        jwksUrl: https://issuer/certs
        audiences: [tink]
        requiredClaims: { sub: "*", role: admin }
        claimsToHeaders: { sub: X-User }
      rateLimit: { average: 500 }
    upstream: { protocol: h2c, endpoints: "127.0.0.1:42113", healthCheck: { path: /healthz, interval: 2s, unhealthyAfter: 3 } }
forwards:
  - { name: tftp, protocol: udp, listen: "0.0.0.0:69", to: ["[::1]:69"] }
`;

test('reads every field of a route file', () => {
  const read = readRouteFile(whole);
  assert.ok(read.ok, read.ok ? '' : read.message);
  const { listeners, routes, forwards } = read.file;
  assert.equal(listeners[0]?.tls?.minVersion, 'TLSv1.2');
  const [route] = routes;
  assert.equal(route?.match.host, 'tinkerbell-server.example.org');
  assert.deepEqual([...(route?.match.headers ?? [])], [['x-a', true]]);
  assert.deepEqual(route?.middlewares.rateLimit, { average: 500, burst: 500 });
  assert.deepEqual(route?.middlewares.validateJwt?.requiredClaims, { sub: true, role: 'admin' });
  assert.deepEqual([...(route?.middlewares.validateJwt?.claimsToHeaders ?? [])], [['sub', 'x-user']]);
  assert.deepEqual(route?.upstream.healthCheck, {
    path: '/healthz',
    intervalMs: 2000,
    timeoutMs: 3000,
    healthyAfter: 1,
    unhealthyAfter: 3,
  });
  assert.deepEqual(forwards[0]?.endpoints, [{ host: '::1', port: 69 }]);
});

const wrong: readonly (readonly [text: string, line: number, column: number, message: RegExp])[] = [
  ['routes:\n  - nam: x\n', 2, 5, /^routes\[0\]\.nam is unknown; did you mean name\?$/],
  [
    'listeners:\n  - name: a\n    port: 70000\n',
    3,
    11,
    /port must be a whole number from 0 to 65535, not 70000/,
  ],
  ['routes:\n  - name: x\n', 2, 5, /routes\[0\] needs the field upstream/],
  ['routes: {}\n', 1, 9, /routes must be a list/],
  [
    'forwards:\n  - {name: a, protocol: udp, listen: "a:1", to: "b:2", proxyProtocol: true}',
    2,
    71,
    /requires TCP/,
  ],
  ['routes: [\n', 2, 1, /./],
  ['trustedProxies: [10.0.0.0/33]', 1, 18, /must be a network/],
  ['routes:\n  - name: x\n    match: {pathRegex: "("}\n    upstream: {endpoints: "a:1"}', 3, 24, /RE2/],
  [
    'routes:\n  - name: x\n    upstream: {endpoints: ["a"]}',
    3,
    28,
    /endpoints\[0\] must be HOST:PORT, not "a"/,
  ],
  [
    'routes:\n  - &r {name: x, upstream: {endpoints: "a:1"}}\n  - {name: x, upstream: {endpoints: "a:1"}}',
    3,
    5,
    /routes\[1\]\.name: there is another route "x"/,
  ],
  [
    'routes:\n  - name: x\n    upstream: {endpoints: "a:1"}\n    middlewares:\n      validateJwt: {issuer: a, audiences: []}',
    5,
    20,
    /needs either jwksUrl or jwksFile/,
  ],
  [
    'routes:\n  - name: x\n    upstream: {endpoints: "a:1"}\n    middlewares:\n      validateJwt: {issuer: a, jwksFile: k, audiences: [], algorithms: [none]}',
    5,
    73,
    /algorithms\[0\] must be ES256 or/,
  ],
];

for (const [text, line, column, message] of wrong)
  test(`refuses ${JSON.stringify(text.slice(-60))} at ${line}:${column}`, () => {
    const read = readRouteFile(text);
    assert.ok(!read.ok);
    assert.match(read.message, message);
    assert.deepEqual(read.position, { line, column });
  });

test('accepts an empty file', () => assert.ok(readRouteFile('').ok));

/** Tests the decisions of the gateway, each as a table. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compressedFields } from './compression.ts';
import { corsFields, preflightFields } from './cors.ts';
import { claimFields, traceparentOf } from './header-fields.ts';
import { ConcurrencyLimit, RateLimit } from './limits.ts';
import { proxyHeader } from './proxy-protocol.ts';
import { bearerToken, grpcMessage, refusalAnswer } from './refusal.ts';
import { hostOf } from './sender.ts';
import { UdpSessions } from './udp-sessions.ts';

test('a bucket fills by its average up to its burst', () => {
  const limit = new RateLimit({ average: 2, burst: 2 });
  assert.deepEqual(
    [0, 0, 0, 499, 500, 500].map((ms) => limit.take('a', ms)),
    [undefined, undefined, 1, 1, undefined, 1],
  );
  assert.equal(limit.take('b', 500), undefined);
  assert.deepEqual(
    [60_000, 60_000, 60_000].map((ms) => limit.take('a', ms)),
    [undefined, undefined, 1],
  );
});

test('limits concurrent requests per address', () => {
  const limit = new ConcurrencyLimit(1);
  assert.deepEqual([limit.enter('a'), limit.enter('a'), limit.enter('b')], [true, false, true]);
  limit.leave('a');
  assert.ok(limit.enter('a'));
});

test('PROXY protocol of IPv4 and IPv6', () => {
  const signature = '0d0a0d0a000d0a515549540a';
  const v4 = proxyHeader({
    client: { address: '192.0.2.1', port: 258 },
    server: { address: '192.0.2.2', port: 69 },
  });
  // Version and command, family, length, two addresses, two ports.
  assert.equal(Buffer.from(v4).toString('hex'), `${signature}2111000cc0000201c000020201020045`);
  const v6 = proxyHeader({ client: { address: '2001:db8::1', port: 1 }, server: { address: '::', port: 2 } });
  assert.equal(
    Buffer.from(v6).toString('hex'),
    `${signature}2121002420010db8000000000000000000000001${'0'.repeat(32)}00010002`,
  );
});

test('continues a trace, or begins one', () => {
  const digits = 'ab'.repeat(24);
  const given = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
  assert.equal(traceparentOf(given, digits), `00-${'1'.repeat(32)}-${'ab'.repeat(8)}-01`);
  for (const wrong of [undefined, '', `00-${'0'.repeat(32)}-${'2'.repeat(16)}-01`, `${given}\n`])
    assert.equal(traceparentOf(wrong, digits), `00-${'ab'.repeat(16)}-${'ab'.repeat(8)}-00`);
});

test('sends claims as header fields', () => {
  const names = new Map(
    Object.entries({ sub: 'x-a', groups: 'x-b', name: 'x-c', none: 'x-d', toString: 'x-e', age: 'x-f' }),
  );
  const fields = claimFields({ sub: 'ann', groups: ['a', 'b'], name: 'Ä\r\nx: y', age: 7 }, names);
  assert.deepEqual(fields, { 'x-a': 'ann', 'x-b': 'a,b', 'x-c': '%C3%84%0D%0Ax%3A%20y', 'x-f': '7' });
});

test('refuses in the terms of gRPC', () => {
  assert.deepEqual(refusalAnswer({ status: 401, reason: 'x', message: 'no "ä"\n' }, true), {
    status: 200,
    fields: { 'content-type': 'application/grpc', 'grpc-status': '16', 'grpc-message': 'no "%C3%A4"%0A' },
    text: '',
  });
  assert.equal(grpcMessage('100%'), '100%25');
});

test('reads bearer tokens and hosts', () => {
  for (const [text, token] of [
    ['Bearer a.b', 'a.b'],
    ['bearer  a', 'a'],
    ['Bearer a b', 'token-malformed'],
    ['Bearer ', 'token-malformed'],
    ['Basic a', undefined],
    ['Bearera', undefined],
  ] as const) {
    const read = bearerToken(text);
    assert.equal(typeof read === 'object' ? read.reason : read, token);
  }
  for (const [text, host] of [
    ['A.example.org:443', 'a.example.org'],
    ['a.', 'a'],
    ['[::1]:80', '[::1]'],
    ['a@b', undefined],
    ['', undefined],
    ['a:b', undefined],
  ] as const)
    assert.equal(hostOf(text), host);
});

test('allows pages of known origins only', () => {
  const cors = { origins: ['https://a'], methods: ['GET'], headers: [] };
  assert.deepEqual(corsFields(cors, 'https://a'), {
    'access-control-allow-origin': 'https://a',
    vary: 'origin',
  });
  assert.deepEqual(corsFields(cors, 'https://b'), { vary: 'origin' });
  assert.equal(
    preflightFields(cors, 'OPTIONS', { origin: 'https://a', requestMethod: undefined }),
    undefined,
  );
  assert.equal(
    preflightFields(cors, 'OPTIONS', { origin: 'https://a', requestMethod: 'GET' })?.[
      'access-control-allow-methods'
    ],
    'GET',
  );
});

test('compresses what is worth it, for clients that accept it', () => {
  const text = { 'content-type': 'text/plain', etag: '"1"' };
  assert.deepEqual(compressedFields(200, text, 'br, gzip;q=0.5'), {
    'content-type': 'text/plain',
    'content-encoding': 'gzip',
    vary: 'accept-encoding',
    etag: 'W/"1"',
  });
  assert.equal(compressedFields(200, text, 'gzip;q=0'), undefined);
  assert.equal(compressedFields(206, text, 'gzip'), undefined);
  assert.equal(compressedFields(200, { ...text, 'content-length': '10' }, 'gzip'), undefined);
  assert.equal(compressedFields(200, { 'content-type': 'application/octet-stream' }, 'gzip'), undefined);
});

test('forgets idle clients of UDP', () => {
  const sessions = new UdpSessions<string>({ max: 1, idleMs: 10 });
  assert.deepEqual([sessions.add('a', 'A', 0), sessions.add('b', 'B', 0)], [true, false]);
  assert.equal(sessions.use('a', 5), 'A');
  assert.deepEqual([sessions.expired(14), sessions.expired(15)], [[], ['A']]);
  assert.equal(sessions.size, 0);
});

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { digestAuthorization, parseDigestChallenge, type DigestHash } from './digest.ts';

const hash: DigestHash = (algorithm, text) =>
  createHash(algorithm.replace('-', '').toLowerCase()).update(text).digest('hex');

/** RFC 7616, section 3.9.1. */
const challenge = (algorithm: string): string =>
  `Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=${algorithm}, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"`;
const request = {
  method: 'GET',
  uri: '/dir/index.html',
  username: 'Mufasa',
  password: 'Circle of Life',
  count: 1,
  clientNonce: 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ',
};

test('the examples of RFC 7616', () => {
  for (const [algorithm, response] of [
    ['MD5', '8ca523f5e9506fed4657c9700eebdbec'],
    ['SHA-256', '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'],
  ] as const) {
    const parsed = parseDigestChallenge(challenge(algorithm));
    assert.ok(parsed !== undefined);
    const header = digestAuthorization(parsed, request, hash);
    assert.match(header, new RegExp(`response="${response}"`));
    assert.match(header, /^Digest username="Mufasa", realm="http-auth@example\.org", /);
    assert.match(header, /qop=auth, nc=00000001, cnonce="f2\/wE4q/);
    assert.match(header, /opaque="FQhe\/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"$/);
  }
});

test('challenges that this client does not answer', () => {
  for (const header of [
    '',
    'Basic realm="AMT"',
    'Digest realm="x"',
    'Digest realm="x", nonce="1", algorithm=MD5-sess',
    'Digest realm="x", nonce="1", qop="auth-int"',
  ])
    assert.equal(parseDigestChallenge(header), undefined, header);
});

test('a challenge among others, without quality of protection, is answered as in RFC 2069', () => {
  const parsed = parseDigestChallenge('Basic realm="a", Digest realm="b\\"c", nonce="1"');
  assert.deepEqual(parsed, { realm: 'b"c', nonce: '1', algorithm: 'MD5', hasAuth: false, opaque: undefined });
  const header = digestAuthorization(parsed, { ...request, username: 'a"\r\nX: y' }, hash);
  assert.doesNotMatch(header, /qop|nc=|\n/);
  assert.match(header, /username="a\\"X: y", realm="b\\"c"/);
});

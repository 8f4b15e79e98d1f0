import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { httpsBootParameters, urlInParameters } from '../index.ts';

test('the parameters are those that Intel and MeshCommander send', () => {
  const { count, bytes } = httpsBootParameters('https://a/b');
  assert.equal(count, 2);
  assert.equal(
    bytes.toHex(),
    [
      '8680', // Intel
      '0100', // the URL
      '0b000000', // its length
      Buffer.from('https://a/b').toString('hex'),
      '8680',
      '1400', // root certificates of AMT
      '01000000',
      '01',
    ].join(''),
  );
});

test('a URL is found behind other parameters, and nothing in broken ones', () => {
  const { bytes } = httpsBootParameters('https://a/b');
  const timeout = Uint8Array.of(0x86, 0x80, 30, 0, 2, 0, 0, 0, 60, 0);
  assert.equal(urlInParameters(Uint8Array.of(...timeout, ...bytes)), 'https://a/b');
  const other = Uint8Array.of(1, 1, ...bytes.subarray(2));
  assert.equal(urlInParameters(other), undefined, 'of another vendor');
  for (let length = 0; length < 19; length += 1)
    assert.equal(urlInParameters(bytes.subarray(0, length)), undefined, String(length));
});

test('no bytes make it throw', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      urlInParameters(bytes);
      urlInParameters(Uint8Array.of(0x86, 0x80, ...bytes));
    }),
  );
});

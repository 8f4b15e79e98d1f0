import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeHmac } from './hmac.ts';

test('HMAC-SHA-256 matches RFC 4231, test case 2', () => {
  const signature = nodeHmac.hmacSha256(Buffer.from('Jefe'), Buffer.from('what do ya want for nothing?'));
  assert.equal(
    Buffer.from(signature).toString('hex'),
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  );
});

test('compares equal bytes, and bytes of other content or length', () => {
  assert.ok(nodeHmac.timingSafeEqual(Uint8Array.of(1, 2), Uint8Array.of(1, 2)));
  assert.ok(!nodeHmac.timingSafeEqual(Uint8Array.of(1, 2), Uint8Array.of(1, 3)));
  assert.ok(!nodeHmac.timingSafeEqual(Uint8Array.of(1, 2), Uint8Array.of(1)));
});

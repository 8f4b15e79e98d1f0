import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createNodeAddressProbe } from './index.ts';
import { echoReplyOf, echoRequest } from './icmp-echo.ts';

test('an echo request has the right checksum', () => {
  // type and code, checksum, identifier, sequence
  const bytes = echoRequest({ identifier: 0x1234, sequence: 7 });
  assert.equal(Buffer.from(bytes).toString('hex'), '0800e5c412340007');
  assert.equal(
    Buffer.from(echoRequest({ identifier: 0xffff, sequence: 0xffff })).toString('hex'),
    '0800f7ffffffffff',
  );
});

test('accepts only a whole echo reply', () => {
  const header = [0x45, ...Array.from({ length: 11 }, () => 0), 192, 0, 2, 7, 192, 0, 2, 1];
  const reply = Uint8Array.from([...header, 0, 0, 0, 0, 0x12, 0x34, 0, 7]);
  assert.deepEqual(echoReplyOf(reply), { identifier: 0x1234, sequence: 7, from: '192.0.2.7' });
  for (let length = 0; length < reply.length; length++) {
    assert.equal(echoReplyOf(reply.subarray(0, length)), undefined, `${length} bytes`);
  }
  assert.equal(echoReplyOf(Uint8Array.from([...header, 8, 0, 0, 0, 0x12, 0x34, 0, 7])), undefined);
});

const skip =
  process.platform === 'linux' && process.getuid?.() === 0 ? false : 'raw sockets need root on Linux';

test('finds a host that exists, and none where nothing can be sent', { skip }, async () => {
  const probe = createNodeAddressProbe();
  assert.deepEqual(await probe.holderOf('127.0.0.1', 5000), {});
  assert.equal(await probe.holderOf('255.255.255.255', 50), undefined);
  probe.close();
});

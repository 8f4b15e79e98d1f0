import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeIpv4UdpPacket } from './ipv4-udp-packet.ts';

const from = { address: '192.168.77.1', port: 67 };
const to = { address: '192.168.77.10', port: 68 };

/** Checks as a receiver does: the sum over everything, checksum included, is all ones. */
function sums(packet: Uint8Array): number[] {
  const fold = (words: number[]) => {
    let sum = words.reduce((one, other) => one + other, 0);
    while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
    return sum;
  };
  const words = (bytes: number[]) =>
    Array.from(
      { length: Math.ceil(bytes.length / 2) },
      (_, at) => bytes[2 * at]! * 256 + (bytes[2 * at + 1] ?? 0),
    );
  const all = [...packet];
  return [
    fold(words(all.slice(0, 20))),
    fold([...words(all.slice(12, 20)), 17, all.length - 20, ...words(all.slice(20))]),
  ];
}

test('a packet has both headers, and nothing of the buffer it was written to', () => {
  const buffer = new Uint8Array(64).fill(0xee);
  const length = writeIpv4UdpPacket(buffer, { from, to, payload: Uint8Array.of(1, 2, 3) });
  assert.deepEqual(
    Buffer.from(buffer.subarray(0, length)).toString('hex'),
    [
      '4500001f', // version 4, 5 words, length 31
      '00000000', // identification, no fragments
      '40115f72', // time to live 64, UDP, checksum
      'c0a84d01', // from
      'c0a84d0a', // to
      '00430044', // ports
      '000bdff2', // length 11, checksum
      '010203',
    ].join(''),
  );
});

test('the checksums are right for odd and even payloads, and for the payload whose sum would be zero', () => {
  const buffer = new Uint8Array(1500);
  for (let length = 0; length < 600; length += 1) {
    const payload = Uint8Array.from({ length }, (_, at) => (at * 31 + length) & 255);
    const packet = buffer.subarray(0, writeIpv4UdpPacket(buffer, { from, to, payload }));
    assert.deepEqual(sums(packet), [0xffff, 0xffff], `payload of ${length} bytes`);
  }
  for (let word = 0; word <= 0xffff; word += 1) {
    const payload = Uint8Array.of(word >>> 8, word & 255);
    writeIpv4UdpPacket(buffer, { from, to, payload });
    assert.notEqual((buffer[26]! << 8) | buffer[27]!, 0, 'zero means that there is no checksum');
  }
});

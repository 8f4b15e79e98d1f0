import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  ByteReader,
  bytesToHex,
  ByteWriter,
  decoded,
  decodeUtf8,
  encodeUtf8,
  hexToBytes,
  ipv4,
} from './index.ts';

test('a reader reads big-endian fields in order and counts the remaining bytes', () => {
  const reader = new ByteReader(hexToBytes('01 0203 f0000001 c0000207')!);
  assert.equal(reader.uint8('a'), 1);
  assert.equal(reader.uint16('b'), 0x0203);
  assert.equal(reader.uint32('c'), 0xf0000001);
  assert.equal(reader.ipv4('d'), '192.0.2.7');
  assert.equal(reader.remaining, 0);
});

test('a read past the end becomes a value with offset and field', () => {
  const result = decoded(() => new ByteReader(new Uint8Array(3), 40).uint32('xid'));
  assert.deepEqual(result, {
    ok: false,
    error: { code: 'truncated', offset: 42, field: 'xid', message: 'xid at byte 42: needs 2 bytes, 1 left' },
  });
});

test('a bug inside a decoder is not swallowed', () => {
  assert.throws(
    () =>
      decoded(() => {
        throw new TypeError('bug');
      }),
    TypeError,
  );
});

test('bytes that were read do not change when the receive buffer is used again', () => {
  const buffer = Uint8Array.of(1, 2, 3);
  const read = new ByteReader(buffer).bytes(3, 'x');
  buffer.fill(9);
  assert.deepEqual([...read], [1, 2, 3]);
});

test('a NUL-terminated text ends before its NUL, and a missing NUL is a failure', () => {
  const reader = new ByteReader(Uint8Array.of(0x61, 0, 0x62));
  assert.deepEqual([...reader.untilNul('name')], [0x61]);
  const result = decoded(() => reader.untilNul('mode'));
  assert.equal(result.ok ? '' : result.error.code, 'unterminated');
});

test('a writer writes big-endian fields and refuses to exceed its capacity', () => {
  const writer = new ByteWriter(12);
  writer.uint8(0x101);
  writer.uint16(0x0203);
  writer.uint32(0xf0000001);
  writer.ipv4(ipv4('192.0.2.7'));
  assert.equal(bytesToHex(writer.finish()), '010203f0000001c0000207');
  assert.equal(writer.remaining, 1);
  assert.throws(() => writer.uint16(0), RangeError);
  assert.throws(() => new ByteWriter(9).padded(new Uint8Array(3), 2), RangeError);
});

test('hexadecimal round trips and refuses odd and foreign digits', () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => assert.deepEqual(hexToBytes(bytesToHex(bytes)), bytes)));
  assert.equal(hexToBytes('abc'), undefined);
  assert.equal(hexToBytes('zz'), undefined);
});

test('UTF-8 agrees with the platform on every text and on random bytes', () => {
  const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      assert.deepEqual(encodeUtf8(text), new TextEncoder().encode(text));
      assert.equal(decodeUtf8(encodeUtf8(text)), text.toWellFormed());
    }),
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 6 }), (bytes) => {
      let expected: string | undefined;
      try {
        expected = strict.decode(bytes);
      } catch {
        expected = undefined;
      }
      assert.equal(decodeUtf8(bytes), expected);
    }),
    { numRuns: 5000 },
  );
});

test('bytes from a Buffer do not change when the Buffer is used again', () => {
  // As Node returns it: a Uint8Array whose slice does not copy.
  class SharingBytes extends Uint8Array {
    override slice(from?: number, to?: number) {
      return this.subarray(from, to);
    }
  }
  const buffer = SharingBytes.from([1, 2, 3, 0]);
  const reader = new ByteReader(buffer);
  const [bytes, text] = [reader.bytes(2, 'bytes'), reader.untilNul('text')];
  buffer.fill(9);
  assert.deepEqual([[...bytes], [...text]], [[1, 2], [3]]);
});

test('a writer into used memory returns none of its old bytes', () => {
  const memory = new Uint8Array(8).fill(0xee);
  const writer = new ByteWriter(6, memory);
  writer.uint8(1);
  writer.zeros(2);
  writer.uint8(2);
  assert.deepEqual([...writer.finish()], [1, 0, 0, 2]);
  assert.deepEqual([...memory], [1, 0, 0, 2, 0, 0, 0xee, 0xee]);
  assert.equal(new ByteWriter(9, memory).remaining, 9, 'too small: new memory');
});

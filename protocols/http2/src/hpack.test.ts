import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { ConnectionError } from './frame.ts';
import { HpackDecoder } from './hpack-decoder.ts';
import { encodeFields } from './hpack-encoder.ts';
import { TextPool } from './text-pool.ts';

const LIST_MAX = 65_536;
const decoder = (listMax = LIST_MAX) =>
  new HpackDecoder(new TextPool(), listMax, (bytes) => Buffer.from(bytes).toString('latin1'));
const bytesOf = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));

const FIRST = [':method', 'GET', ':scheme', 'http', ':path', '/', ':authority', 'www.example.com'];
const SECOND = [...FIRST, 'cache-control', 'no-cache'];
const THIRD =
  ':method GET :scheme https :path /index.html :authority www.example.com custom-key custom-value'.split(' ');

test('three requests of one connection without the Huffman code: RFC 7541, appendix C.3', () => {
  const one = decoder();
  assert.deepEqual(one.decode(bytesOf('8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d')), FIRST);
  assert.deepEqual(one.decode(bytesOf('8286 84be 5808 6e6f 2d63 6163 6865')), SECOND);
  const third = '8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65';
  assert.deepEqual(one.decode(bytesOf(third)), THIRD);
});

test('the same with it: appendix C.4', () => {
  const one = decoder();
  assert.deepEqual(one.decode(bytesOf('8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff')), FIRST);
  assert.deepEqual(one.decode(bytesOf('8286 84be 5886 a8eb 1064 9cbf')), SECOND);
  const third = '8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf';
  assert.deepEqual(one.decode(bytesOf(third)), THIRD);
});

test('entries are evicted from a table of 256 bytes: appendix C.6', () => {
  const one = decoder();
  const size = '3fe101'; // The size of the table becomes 256.
  const first =
    '4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3';
  const date = 'Mon, 21 Oct 2013 20:13:21 GMT';
  const fields = ['cache-control', 'private', 'date', date, 'location', 'https://www.example.com'];
  assert.deepEqual(one.decode(bytesOf(size + first)), [':status', '302', ...fields]);
  // The status 307 evicts the status 302.
  assert.deepEqual(one.decode(bytesOf('4883 640e ffc1 c0bf')), [':status', '307', ...fields]);
  const last = '88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab';
  const compressed = ['location', 'https://www.example.com', 'content-encoding', 'gzip'];
  const dated = [':status', '200', 'cache-control', 'private', 'date', date.replace(':21', ':22')];
  assert.deepEqual(one.decode(bytesOf(last)), [...dated, ...compressed]);
});

describe('a repeated block', () => {
  /** A literal that stays outside the table. */
  const repeated = '0f00 0161';

  test('has one list for all its copies once a connection has had some blocks', () => {
    const one = decoder();
    const lists = Array.from({ length: 20 }, () => one.decode(bytesOf(repeated)));
    for (const list of lists) assert.deepEqual(list, ['accept-charset', 'a']);
    assert.notEqual(lists[0], lists[1]);
    assert.equal(lists[18], lists[19]);
  });

  test('is found again beside another one, and not when it is longer than the limit', () => {
    const one = decoder();
    const long = bytesOf(`0f00 7f81 0f${'61'.repeat(2048)}`);
    const other = bytesOf('0f00 0162');
    const found = Array.from({ length: 20 }, () =>
      [repeated, '0f00 0162'].map((hex) => one.decode(bytesOf(hex))),
    );
    assert.equal(found[18]?.[0], found[19]?.[0]);
    assert.equal(found[18]?.[1], found[19]?.[1]);
    assert.deepEqual(one.decode(other), ['accept-charset', 'b']);
    assert.notEqual(one.decode(long), one.decode(long));
  });

  test('is decoded again after the table has changed, with what it refers to then', () => {
    const one = decoder();
    one.decode(bytesOf('4001 6101 62'));
    for (let count = 0; count < 20; count += 1) assert.deepEqual(one.decode(bytesOf('be')), ['a', 'b']);
    one.decode(bytesOf('4001 6301 64'));
    assert.deepEqual(one.decode(bytesOf('be')), ['c', 'd']);
    assert.deepEqual(one.decode(bytesOf('bf')), ['a', 'b']);
    // The size of the table becomes 0.
    one.decode(bytesOf('20'));
    assert.throws(() => one.decode(bytesOf('be')), ConnectionError);
  });

  test('that changes the table changes it each time', () => {
    const one = decoder();
    for (let count = 0; count < 20; count += 1) one.decode(bytesOf('4001 6101 62'));
    assert.deepEqual(one.decode(bytesOf('be d1')), ['a', 'b', 'a', 'b']);
  });
});

describe('what is not a header block ends the connection', () => {
  for (const [title, hex] of [
    ['index 0', '80'],
    ['an index beyond both tables', 'be'],
    ['an integer that ends early', 'ff'],
    ['an integer without end', 'ff80 8080 8080 8080 8080'],
    ['an integer that is too large', 'ffff ffff ffff 0f'],
    ['a text that is longer than the block', '4003 6162'],
    ['the end-of-string code in a text', '4084 ffff fffc 0161'],
    ['padding of a whole byte', '4082 1fff 0161'],
    ['padding with zeros', '4081 1800 0161'],
    ['a table of more than 4096 bytes', '3fe2 1f'],
    ['a new size of the table after a field', '8220'],
  ] as const)
    test(title, () => {
      assert.throws(() => decoder().decode(bytesOf(hex)), ConnectionError);
    });
});

test('a list above the limit is decoded for the table, and not returned', () => {
  const one = decoder(60);
  const indexed = '4001 6101 62'; // a: b, which counts 34 bytes
  assert.equal(one.decode(bytesOf(indexed + indexed)), undefined);
  assert.deepEqual(one.decode(bytesOf('be')), ['a', 'b']);
});

test('what the encoder writes is what the decoder reads', () => {
  const text = fc.string({
    unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  });
  const name = fc.oneof(
    fc.constantFrom(':status', 'content-type', 'grpc-status'),
    text.filter((one) => one !== ''),
  );
  const value = fc.oneof(text, fc.constantFrom('200', 'x'.repeat(127), 'y'.repeat(300), 'z'.repeat(20_000)));
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value), { maxLength: 20 }), (fields) => {
      assert.deepEqual(decoder(1e9).decode(encodeFields(fields)), fields.flat());
    }),
  );
});

test('random bytes are fields or a ConnectionError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        decoder().decode(bytes);
      } catch (error) {
        assert.ok(error instanceof ConnectionError, String(error));
      }
    }),
    { numRuns: 2000 },
  );
});

test('texts of many connections are one text, and texts of one client are not kept', () => {
  const pool = new TextPool();
  for (let number = 0; number < 2000; number++) pool.shared(`invented-${number}`);
  assert.equal(pool.shared('invented-0'), 'invented-0');
  assert.equal(pool.size, 1000);
});

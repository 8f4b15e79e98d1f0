import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MessageSplitter, prefixed } from './messages.ts';

const BYTES_MAX = 1024 * 1024;

/** Returns the messages of a body that arrives in parts of these lengths, repeated. */
function split(body: Buffer, lengths: readonly number[]): readonly Buffer[] {
  const splitter = new MessageSplitter(BYTES_MAX);
  const messages: Buffer[] = [];
  for (let at = 0, part = 0; at < body.length; part += 1) {
    const length = lengths[part % lengths.length] ?? 1;
    // The memory of a part is used again for the next one.
    const bytes = Buffer.from(body.subarray(at, at + length));
    for (const found of splitter.push(bytes) ?? assert.fail()) messages.push(Buffer.from(found.bytes));
    bytes.fill(0xff);
    at += length;
  }
  assert.equal(splitter.held, 0);
  return messages;
}

test('messages in any parts arrive whole and in order, and nothing of a part is kept', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 3000 }), { minLength: 1, maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 2000 }), { minLength: 1, maxLength: 5 }),
      (wanted, lengths) => {
        const body = Buffer.concat(wanted.map(prefixed));
        assert.deepEqual(
          split(body, lengths),
          wanted.map((one) => Buffer.from(one)),
        );
      },
    ),
    { numRuns: 200 },
  );
});

test('a message in many short parts takes little more memory than its bytes', () => {
  const read = Buffer.alloc(64 * 1024);
  const splitter = new MessageSplitter(BYTES_MAX);
  splitter.push(prefixed(Buffer.alloc(BYTES_MAX)).subarray(0, 5));
  const before = process.memoryUsage();
  for (let count = 0; count < 500_000; count += 1)
    splitter.push(read.subarray(count % 1000, (count % 1000) + 1));
  const after = process.memoryUsage();
  const grown = after.heapUsed - before.heapUsed + after.external - before.external;
  assert.ok(grown < 16 * 1024 * 1024, `${grown} bytes for 500,000`);
  assert.equal(splitter.held, 500_005);
});

test('a message above the limit is refused by its length', () => {
  const head = prefixed(Buffer.alloc(BYTES_MAX + 1)).subarray(0, 5);
  assert.equal(new MessageSplitter(BYTES_MAX).push(head), undefined);
  const splitter = new MessageSplitter(BYTES_MAX);
  assert.deepEqual(splitter.push(head.subarray(0, 3)), []);
  assert.equal(splitter.push(head.subarray(3)), undefined);
});

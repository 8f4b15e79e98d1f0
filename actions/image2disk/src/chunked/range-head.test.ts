import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bodyStart, HEAD_BYTES_MAX } from './range-head.ts';

const WANTED = { first: 100, length: 50 };
const FIELDS = ['Content-Length: 50', 'content-range: bytes 100-149/9999'];
const headOf = (status: string, ...fields: readonly string[]): Buffer =>
  Buffer.from([status, ...fields, '', ''].join('\r\n'));
const RIGHT = headOf(
  'HTTP/1.1 206 Partial Content',
  ...FIELDS,
  'Connection: keep-alive',
  'X-Other: a',
  'X-Other: b',
);

test('finds where the body of the wanted range begins', () => {
  assert.equal(bodyStart(RIGHT, WANTED), RIGHT.length);
  assert.equal(bodyStart(Buffer.concat([RIGHT, Buffer.from('body\r\n\r\n')]), WANTED), RIGHT.length);
  const short = headOf('HTTP/1.1 206', 'content-length:50', 'Content-Range:\tbytes 100-149/* ');
  assert.equal(bodyStart(short, WANTED), short.length);
});

test('waits for the end of the head, and not longer than a head can be', () => {
  for (let length = 0; length < RIGHT.length; length += 1)
    assert.equal(bodyStart(RIGHT.subarray(0, length), WANTED), 'more');
  assert.equal(bodyStart(Buffer.from('x'.repeat(HEAD_BYTES_MAX)), WANTED), 'other');
});

test('another answer is not read', () => {
  const others: readonly (readonly string[])[] = [
    ['HTTP/1.1 200 OK', ...FIELDS],
    ['HTTP/1.0 206 Partial Content', ...FIELDS],
    ['HTTP/1.1 2060', ...FIELDS],
    ['HTTP/1.1 503 Busy', 'Content-Length: 50'],
    ['HTTP/1.1 206 Partial Content', 'Content-Length: 51', 'Content-Range: bytes 100-149/9999'],
    ['HTTP/1.1 206 Partial Content', 'Content-Length: 50', 'Content-Range: bytes 101-150/9999'],
    ['HTTP/1.1 206 Partial Content', 'Content-Range: bytes 100-149/9999'],
    ['HTTP/1.1 206 Partial Content', 'Content-Length: 50'],
    ['HTTP/1.1 206 Partial Content', ...FIELDS, 'Content-Length: 50'],
    ['HTTP/1.1 206 Partial Content', ...FIELDS, 'Transfer-Encoding: chunked'],
    ['HTTP/1.1 206 Partial Content', ...FIELDS, 'Content-Encoding: gzip'],
    ['HTTP/1.1 206 Partial Content', ...FIELDS, 'Connection: Close'],
    ['HTTP/1.1 206 Partial Content', ...FIELDS, ' folded'],
    ['HTTP/1.1 206 Partial Content', ...FIELDS, 'no colon'],
  ];
  for (const [status = '', ...fields] of others)
    assert.equal(bodyStart(headOf(status, ...fields), WANTED), 'other', [status, ...fields].join(', '));
});

test('never throws on random bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat({ max: 200 }), (bytes, at) => {
      const changed = Buffer.from(RIGHT);
      changed.set(bytes.subarray(0, RIGHT.length - (at % RIGHT.length)), at % RIGHT.length);
      for (const head of [bytes, changed])
        assert.ok(['number', 'string'].includes(typeof bodyStart(head, WANTED)));
    }),
  );
});

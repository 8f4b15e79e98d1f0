import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientOf, frame, REQUEST } from './testing/raw-client.ts';

test('thousands of frames in one packet are taken a few at a time', () => {
  const client = clientOf();
  client.request(1, 0);
  const before = client.heard.length;
  client.send(Buffer.concat(Array<Buffer>(2000).fill(frame(0, 0, 1, Buffer.from('a')))));
  assert.equal(client.heard.length - before, 2000);
  assert.equal(client.pauses(), 39);
  client.send(frame(0, 1, 1, Buffer.from('b')));
  assert.deepEqual(client.heard.slice(-2), ['data b', 'end']);
});

test('hundreds of requests in one packet are taken a few at a time', () => {
  const client = clientOf();
  client.send(Buffer.concat(Array.from({ length: 120 }, (_, index) => frame(1, 5, 1 + 2 * index, REQUEST))));
  assert.equal(client.streams.length, 120);
  assert.equal(client.pauses(), 23);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { OciError } from '@tinkerbell/oci';
import { PEERS_REQUEST_BYTES_MAX, readPeersAnswer, readPeersRequest } from '../index.ts';
import { longestRuns, type ChunkRun } from './chunk-runs.ts';
import { PEERS_ANSWER_BYTES_MAX, PEERS_MAX } from './messages.ts';

const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const image = `sha256:${'a'.repeat(64)}`;
const good = {
  image,
  port: 40_000,
  have: [
    [0, 3],
    [7, 1],
  ],
  receivedBytes: 12,
};
const errorOf = (read: (body: Uint8Array) => unknown, value: unknown): string => {
  try {
    read(bytes(value));
  } catch (error) {
    assert.ok(error instanceof OciError);
    return error.message;
  }
  return 'accepted';
};

test('a request is read, and each wrong field is named with its limit', () => {
  assert.deepEqual(readPeersRequest(bytes(good)), good);
  for (const [change, message] of [
    [{ image: 7 }, /^image: must be the digest/],
    [{ image: 'sha256:1' }, /^image: "sha256:1" is not a digest/],
    [{ image: `sha512:${'a'.repeat(128)}` }, /^image: must be a SHA-256/],
    [{ port: 80 }, /^port: is 80; it must be from 1024 to 65535/],
    [{ port: '4000' }, /^port: must be a whole number/],
    [{ have: [[0]] }, /^have\[0\]: must be a list of the first chunk and a count/],
    [{ have: [[0, 0]] }, /^have\[0\]\[1\]: must be at least 1/],
    [
      {
        have: [
          [5, 2],
          [6, 1],
        ],
      },
      /^have\[1\]\[0\]: is 6, and the run before it ends at 7/,
    ],
    [{ have: [[0, 2 ** 40]] }, /^have\[0\]: ends at 1099511627776; at most 4194304 chunks/],
    [{ have: Array.from({ length: 129 }, (_, at) => [at * 2, 1]) }, /^have: has 129 entries; at most 128/],
    [{ receivedBytes: 2 ** 50 }, /^receivedBytes: is 1125899906842624; at most/],
  ] as const)
    assert.match(errorOf(readPeersRequest, { ...good, ...change }), message);
});

test('an answer is read, and each wrong field is named', () => {
  const peer = { address: '192.0.2.1', port: 40_000, have: [[0, 1]] };
  const answer = { place: 0.5, secret: 'b'.repeat(64), peers: [peer, { ...peer, address: '2001:db8::1' }] };
  assert.deepEqual(readPeersAnswer(bytes(answer)), answer);
  for (const [change, message] of [
    [{ place: 1 }, /^place: must be a number from 0 up to 1/],
    [{ secret: 'x' }, /^secret: must be 64 hexadecimal digits/],
    [{ peers: [{ ...peer, address: 'host.example' }] }, /^peers\[0\]\.address: must be an IP address/],
    [{ peers: [{ ...peer, port: 22 }] }, /^peers\[0\]\.port: is 22/],
    [{ peers: Array.from({ length: 17 }, () => peer) }, /^peers: has 17 entries; at most 16/],
    [{ peers: ['a'] }, /^peers\[0\]: must be an object/],
  ] as const)
    assert.match(errorOf(readPeersAnswer, { ...answer, ...change }), message);
});

test('random bytes are an error and nothing else', () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
      for (const read of [readPeersRequest, readPeersAnswer])
        assert.throws(() => read(new TextEncoder().encode(text)), OciError);
    }),
  );
});

test('the largest messages fit into their limits', () => {
  const have = Array.from({ length: 128 }, (_, at) => [4_194_304 - 300 + at * 2, 1]);
  assert.ok(bytes({ ...good, have, receivedBytes: 2 ** 40 }).length <= PEERS_REQUEST_BYTES_MAX);
  const peer = { address: '2001:0db8:0000:0000:0000:0000:255.255.255.255', port: 65_535, have };
  const peers = Array.from({ length: PEERS_MAX }, () => peer);
  assert.ok(
    bytes({ place: 0.0000152587890625, secret: 'b'.repeat(64), peers }).length <= PEERS_ANSWER_BYTES_MAX,
  );
});

test('of many runs the longest are kept, in their order', () => {
  const runs = Array.from({ length: 200 }, (_, at): ChunkRun => [at * 100, 1 + (at % 50)]);
  const kept = longestRuns(runs);
  assert.equal(kept.length, 128);
  assert.ok(kept.every(([first], at) => at === 0 || first > (kept[at - 1]?.[0] ?? 0)));
  assert.ok(Math.min(...kept.map(([, count]) => count)) >= 18);
});

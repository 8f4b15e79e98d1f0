import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { nodeClock } from '@tinkerbell/platform-node';
import type { ServerStream } from '@tinkerbell/http2';
import { eventually } from '../testing/running-server.ts';
import { prefixed } from './messages.ts';
import { ServerCall } from './server-call.ts';

const BYTES = prefixed(gzipSync(Buffer.alloc(100_000)));
BYTES[0] = 1;

test('a client may not send more while what it has sent is being decompressed', async () => {
  let consumed = 0;
  const stream = { consumed: (bytes: number) => (consumed += bytes) };
  const call = new ServerCall<Buffer>({
    stream: stream as unknown as ServerStream,
    fields: ['grpc-encoding', 'gzip'],
    method: {
      path: '/a.B/C',
      requestStream: true,
      requestDeserialize: (bytes) => bytes,
      responseSerialize: () => Buffer.alloc(0),
    },
    handler: { start: () => undefined },
    peer: { heldBytes: 0, address: () => '' },
    clock: nodeClock,
  });
  const sizes: number[] = [];
  void call.eachRequest(async ({ length }) => void sizes.push(await Promise.resolve(length)));
  for (let count = 0; count < 20; count++) call.data(BYTES);
  assert.equal(consumed, 0);
  await eventually(() => (consumed === 20 * BYTES.length ? true : undefined));
  assert.deepEqual(
    sizes,
    Array.from({ length: 20 }, () => 100_000),
  );
});

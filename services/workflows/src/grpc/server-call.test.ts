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

function callOn(stream: Partial<ServerStream>): ServerCall<Buffer, Buffer> {
  return new ServerCall<Buffer, Buffer>({
    stream: stream as ServerStream,
    fields: ['grpc-encoding', 'gzip'],
    method: {
      path: '/a.B/C',
      requestStream: true,
      requestDeserialize: (bytes) => bytes,
      responseSerialize: (bytes) => bytes,
    },
    handler: { start: () => undefined },
    peer: { heldBytes: 0, address: () => '' },
    clock: nodeClock,
  });
}

test('a client may not send more while what it has sent is being decompressed', async () => {
  let consumed = 0;
  const call = callOn({ consumed: (bytes) => void (consumed += bytes) });
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

test('all senders of a call hear when there is room again', async () => {
  const call = callOn({ sendHeaders: () => undefined, sendData: () => false });
  const heard: string[] = [];
  for (const sender of ['orders', 'actions']) {
    assert.equal(call.send(Buffer.from(sender)), false);
    void call.room().then(() => heard.push(sender));
  }
  call.drained();
  await new Promise(setImmediate);
  assert.deepEqual(heard, ['orders', 'actions']);
});

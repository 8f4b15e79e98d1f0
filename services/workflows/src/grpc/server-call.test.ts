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

test('thousands of messages in one frame are read in several turns of the event loop', async () => {
  const call = callOn({ consumed: () => undefined });
  let [read, turns] = [0, 0];
  const done = call.eachRequest(async () => void (read += 1));
  const most: number[] = [];
  const count = (): void => {
    most.push(read - most.reduce((sum, one) => sum + one, 0));
    turns += 1;
    if (read < 1000) setImmediate(count);
  };
  setImmediate(count);
  call.data(Buffer.concat(Array<Buffer>(1000).fill(prefixed(Buffer.from('a')))));
  call.end();
  await done;
  assert.equal(read, 1000);
  assert.ok(turns > 20 && Math.max(...most) <= 40, most.join(' '));
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

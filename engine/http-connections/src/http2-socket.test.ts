import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { receiveFrom } from './http2-socket.ts';

/** Two ends of a connection. */
async function pair() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [socket] = (await once(server, 'connection')) as [Socket];
  server.close();
  return { client, socket };
}

test('receives what arrives, and the end', async () => {
  const { client, socket } = await pair();
  let text = '';
  receiveFrom(socket, (bytes) => (text += Buffer.from(bytes).toString()));
  for (const part of ['one', 'two', 'three']) {
    client.write(part);
    await nextTurn();
  }
  client.end();
  await once(socket, 'end');
  assert.equal(text, 'onetwothree');
});

test('what arrives while the socket is paused waits, and comes in order', async () => {
  const { client, socket } = await pair();
  const length = 300_000;
  let received = 0;
  let last = '';
  receiveFrom(socket, (bytes) => {
    assert.equal(socket.isPaused(), false);
    received += bytes.length;
    last = String.fromCharCode(bytes.at(-1) ?? 0);
    socket.pause();
    setImmediate(() => socket.resume());
  });
  client.end(`${'x'.repeat(length)}y`);
  await once(socket, 'end');
  assert.deepEqual([received, last], [length + 1, 'y']);
});

test('a socket that stays paused is not read without end', async () => {
  const { client, socket } = await pair();
  receiveFrom(socket, () => socket.pause());
  const part = Buffer.alloc(64 * 1024);
  // The buffers of the kernel take a few megabytes.
  for (let count = 0; count < 1000; count += 1) client.write(part);
  for (let turn = 0; turn < 1000; turn += 1) await nextTurn();
  assert.ok(socket.bytesRead < 8 * part.length, `${socket.bytesRead}`);
  client.destroy();
  socket.destroy();
});

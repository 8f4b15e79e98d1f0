import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { frame, framesIn, PREFACE } from '@tinkerbell/http2/testing';
import { DATA, FrameSocket, type StreamFrame } from './frame-socket.ts';

const [HEADERS, SETTINGS, PING, GOAWAY] = [1, 4, 6, 7] as const;
const [END_STREAM, ACK, END_HEADERS, PADDED] = [1, 1, 4, 8] as const;
const NOTHING = Buffer.alloc(0);

/** Starts a server, and connects a client that sends only what the test writes. */
async function scene() {
  const seen: StreamFrame[] = [];
  const server = createServer(
    (socket) => void new FrameSocket(socket, 'server', (one) => void seen.push(one)),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').setNoDelay(true);
  const received: Buffer[] = [];
  client.on('data', (bytes: Buffer) => void received.push(bytes));
  await once(client, 'connect');
  return {
    seen,
    client,
    received: () => framesIn(Buffer.concat(received)),
    [Symbol.dispose]() {
      client.destroy();
      server.close();
    },
  };
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 1));
}

test('a preface and frames that arrive byte by byte are read, and settings and pings answered', async () => {
  using served = await scene();
  const bytes = Buffer.concat([
    Buffer.from(PREFACE),
    frame(SETTINGS, 0, 0, NOTHING),
    frame(HEADERS, END_HEADERS, 1, Buffer.from('fields')),
    frame(PING, 0, 0, Buffer.from('12345678')),
    frame(DATA, END_STREAM, 1, Buffer.from('body')),
  ]);
  for (const byte of bytes) served.client.write(Buffer.of(byte));
  await until(() => served.seen.length === 2);
  assert.deepEqual(
    served.seen.map(({ stream, isLast, payload }) => [stream, isLast, payload.toString()]),
    [
      [1, false, 'fields'],
      [1, true, 'body'],
    ],
  );
  const acknowledged = () =>
    served
      .received()
      .filter(({ flags }) => flags === ACK)
      .map(({ type }) => type);
  await until(() => acknowledged().length === 2);
  assert.deepEqual(acknowledged(), [SETTINGS, PING]);
});

test('frames that it does not support, and the end of the peer, end the connection', async () => {
  for (const last of [
    frame(HEADERS, 0, 1, Buffer.from('a part')),
    frame(DATA, PADDED, 1, Buffer.from([0])),
    frame(GOAWAY, 0, 0, Buffer.alloc(8)),
  ]) {
    using served = await scene();
    served.client.write(Buffer.concat([Buffer.from(PREFACE), last]));
    await once(served.client, 'close');
    assert.deepEqual(served.seen, []);
  }
});

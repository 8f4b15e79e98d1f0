import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { ChunkWriter } from './chunk-writer.ts';

/** A response whose head was sent, to a connected client. */
async function answering(use: (outgoing: ServerResponse) => Promise<void>): Promise<void> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined);
  client.resume();
  client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  const [, outgoing] = (await once(server, 'request')) as [unknown, ServerResponse];
  outgoing.on('error', () => undefined);
  outgoing.flushHeaders();
  try {
    await use(outgoing);
  } finally {
    client.destroy();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
}

test('resolves when the kernel has the bytes', () =>
  answering(async (outgoing) => {
    using writer = new ChunkWriter(outgoing);
    await writer.write(Uint8Array.of(1, 2, 3));
    assert.equal(outgoing.writableLength, 0);
  }));

test('rejects when the connection ends before the write', { timeout: 60_000 }, () =>
  answering(async (outgoing) => {
    // Behaves like Node when the client has half-closed: the socket accepts no more, and is not closed yet.
    outgoing.socket?.end();
    using writer = new ChunkWriter(outgoing);
    await assert.rejects(writer.write(Uint8Array.of(1)), /has disconnected/);
    await assert.rejects(writer.write(Uint8Array.of(2)), /has disconnected/);
  }),
);

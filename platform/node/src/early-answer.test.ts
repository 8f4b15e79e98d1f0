/**
 * Tests that a response which is sent before the whole body arrived reaches a client that is still sending.
 */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { WholeResponse, type HttpRequest, type Log } from '@tinkerbell/platform-contract';
import { createNodeHttp } from './http.ts';

const log: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };
const SIZE = 1024 ** 3;

type Reader = (request: HttpRequest) => AsyncIterable<Uint8Array>;

/** Answers after the first piece of the body, or without a reader before it. */
async function server(reader?: Reader) {
  return createNodeHttp(log).listen({ address: '127.0.0.1', port: 0 }, async (request) => {
    if (reader !== undefined) for await (const _piece of reader(request)) break;
    return new WholeResponse('too large\n', { status: 413 });
  });
}

/** Returns what a client receives that starts to send a gigabyte and reads the response only a while later. */
async function heard(port: number): Promise<{ readonly said: string; readonly sent: number }> {
  const socket = connect(port, '127.0.0.1').pause();
  const failures: string[] = [];
  socket.on('error', (error) => void failures.push(error.message));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${SIZE}\r\n\r\n`);
  const piece = Buffer.alloc(1024 * 1024);
  for (let count = 0; count < 64 && socket.writable; count += 1) {
    socket.write(piece);
    await setTimeout(5);
  }
  let said = '';
  socket.on('data', (chunk: Buffer) => void (said += chunk.toString())).resume();
  await closed;
  return { said: said || failures.join(), sent: socket.bytesWritten };
}

test('a client that keeps sending gets the answer, and no reset', async () => {
  await using listening = await server();
  const { said, sent } = await heard(listening.local.port);
  assert.match(said, /^HTTP\/1\.1 413 /);
  assert.ok(sent < SIZE / 4, `${sent} bytes were accepted`);
});

const readers: Readonly<Record<string, Reader>> = {
  chunks: (request) => request.chunks?.() ?? assert.fail(),
  body: (request) => request.body ?? assert.fail(),
};

for (const [name, reader] of Object.entries(readers))
  test(`the same when the handler has read a part of the body by ${name}`, async () => {
    await using listening = await server(reader);
    const { said, sent } = await heard(listening.local.port);
    assert.match(said, /^HTTP\/1\.1 413 /);
    assert.ok(sent < SIZE / 4, `${sent} bytes were accepted`);
  });

test('a client that never ends is disconnected after a while', async () => {
  await using listening = await server();
  const socket = connect(listening.local.port, '127.0.0.1');
  socket.on('error', () => undefined).resume();
  socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${SIZE}\r\n\r\n`);
  const piece = setInterval(() => socket.write('x'), 50);
  await new Promise((resolve) => socket.once('close', resolve));
  clearInterval(piece);
});

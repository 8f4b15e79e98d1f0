import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { HeldBytes, WholeResponse, type HttpHandler, type Log } from '@tinkerbell/platform-contract';
import { createNodeHttp, type NodeHttpOptions } from './index.ts';

const silentLog: Log = { debug() {}, info() {}, warn() {}, error: assert.fail, child: () => silentLog };
const MEGABYTE = 1024 * 1024;

/** Responses of every kind, each longer than a socket's buffers hold. */
const answers: Readonly<Record<string, HttpHandler>> = {
  'a text': () => Promise.resolve(new WholeResponse('x'.repeat(16 * MEGABYTE))),
  bytes: () => Promise.resolve(new WholeResponse(new Uint8Array(16 * MEGABYTE))),
  'a stream': () => Promise.resolve(new Response(endless(MEGABYTE))),
  'a stream of small chunks': () => Promise.resolve(new Response(endless(8000))),
};

function endless(chunkBytes: number): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    { pull: (controller) => controller.enqueue(new Uint8Array(chunkBytes)) },
    { highWaterMark: 0 },
  );
}

async function serving(
  handler: HttpHandler,
  options: NodeHttpOptions,
  use: (stalled: () => Promise<Socket>, port: number) => Promise<void>,
): Promise<void> {
  const server = await createNodeHttp(silentLog, options).listen({ port: 0, address: '127.0.0.1' }, handler);
  const sockets: Socket[] = [];
  const stalled = async (): Promise<Socket> => {
    const socket = connect(server.local.port, '127.0.0.1').on('error', () => undefined);
    socket.pause();
    sockets.push(socket);
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(socket, 'connect');
    return socket;
  };
  try {
    await use(stalled, server.local.port);
  } finally {
    for (const socket of sockets) socket.destroy();
    await server.close(0);
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

for (const [name, handler] of Object.entries(answers)) {
  test(`clients that do not read ${name} hold a bounded amount of memory, and none after they disconnect`, async () => {
    const bytesMax = 24 * MEGABYTE;
    const heldBytes = new HeldBytes(bytesMax);
    let handled = 0;
    const counting: HttpHandler = (request, context) => {
      handled += 1;
      return handler(request, context);
    };
    await serving(counting, { heldBytes }, async (stalled) => {
      const sockets = [];
      for (let index = 0; index < 30; index += 1) {
        sockets.push(await stalled());
        assert.ok(heldBytes.bytes() <= bytesMax, `${heldBytes.bytes()} bytes`);
      }
      await until(() => handled === 30);
      await until(() => heldBytes.bytes() > 0);
      assert.ok(heldBytes.bytes() <= bytesMax);
      for (const socket of sockets) socket.destroy();
      await until(() => heldBytes.bytes() === 0);
    });
  });
}

test('a client that reads gets its whole answer while others use up the limit', async () => {
  const heldBytes = new HeldBytes(40 * MEGABYTE);
  await serving(answers['a text']!, { heldBytes }, async (stalled, port) => {
    for (let index = 0; index < 5; index += 1) await stalled();
    await until(() => heldBytes.cuts() >= 3);
    const answer = await fetch(`http://127.0.0.1:${port}/`);
    assert.equal((await answer.text()).length, 16 * MEGABYTE);
  });
});

test('a client that reads nothing of a whole answer is cut off', async () => {
  for (const handler of [answers['a text']!, answers['bytes']!]) {
    await serving(handler, { stalledMs: 50 }, async (stalled) => {
      const socket = await stalled();
      const closed = once(socket, 'close');
      // Only what was in the kernel's buffers can still be read.
      await new Promise((resolve) => setTimeout(resolve, 500));
      let bytes = 0;
      socket.on('data', (chunk: Uint8Array) => void (bytes += chunk.length)).resume();
      await closed;
      assert.ok(bytes < 16 * MEGABYTE, `${bytes} bytes arrived`);
    });
  }
});

test('an answer that the kernel accepts at once is not counted', async () => {
  const heldBytes = new HeldBytes(1);
  const short: HttpHandler = () => Promise.resolve(new WholeResponse('short'));
  await serving(short, { heldBytes }, async (_, port) => {
    for (let index = 0; index < 20; index += 1)
      assert.equal(await (await fetch(`http://127.0.0.1:${port}/`)).text(), 'short');
    assert.equal(heldBytes.cuts(), 0);
  });
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { WholeResponse, type HttpRequest, type Log } from '@tinkerbell/platform-contract';
import { createNodeHttp } from './http.ts';

const log: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };
/** The limit of a whole body ends at once, and that of a silent one never. */
const bodyTimes = { wholeMs: 1, idleMs: 60_000 };

function server(expect: (request: HttpRequest) => void, times = bodyTimes) {
  return createNodeHttp(log, { bodyTimes: times }).listen(
    { address: '127.0.0.1', port: 0 },
    async (request) => {
      expect(request);
      // Like a handler that first finds out who asks. A short body has arrived then.
      await Promise.resolve();
      let size = 0;
      for await (const chunk of request.chunks?.() ?? []) size += chunk.length;
      return new WholeResponse(`${size}\n`);
    },
  );
}

async function opened(port: number, head: string) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  let said = '';
  socket.on('data', (chunk: Buffer) => void (said += chunk.toString()));
  const closed = once(socket, 'close');
  socket.write(`POST / HTTP/1.1\r\nhost: x\r\n${head}\r\n\r\n`);
  return { socket, ended: async () => (await closed, said) };
}

async function answerOf(socket: Socket): Promise<string | undefined> {
  const answer = String(await once(socket, 'data'));
  assert.doesNotMatch(answer, /connection: close/i);
  return answer.split('\r\n\r\n')[1];
}

test('bodies of one connection are read, however they arrive', async () => {
  await using listening = await server(() => undefined, { wholeMs: 60_000, idleMs: 60_000 });
  const post = 'POST / HTTP/1.1\r\nhost: x\r\n';
  const bodies = [
    ['content-length: 5\r\n\r\nwhole'],
    ['content-length: 6\r\n\r\nha', 'lves'],
    ['transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n'],
    ['content-length: 0\r\n\r\n'],
    ['content-length: 4\r\n\r\nlast'],
  ];
  const socket = connect(listening.local.port, '127.0.0.1');
  const sizes: (string | undefined)[] = [];
  for (const parts of bodies)
    for (const [index, part] of parts.entries()) {
      socket.write(index === 0 ? post + part : part);
      if (index < parts.length - 1) await new Promise((resolve) => setTimeout(resolve, 5));
      else sizes.push(await answerOf(socket));
    }
  socket.destroy();
  assert.deepEqual(sizes, ['5\n', '6\n', '3\n', '0\n', '4\n']);
});

test('a body after one with chunks is whole, whatever its size', async () => {
  await using listening = await server(() => undefined, { wholeMs: 60_000, idleMs: 60_000 });
  const socket = connect(listening.local.port, '127.0.0.1');
  const post = 'POST / HTTP/1.1\r\nhost: x\r\n';
  socket.write(`${post}transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`);
  assert.equal(await answerOf(socket), '3\n');
  for (let size = 1; size < 20_000; size += 97) {
    socket.write(`${post}content-length: ${size}\r\n\r\n${'x'.repeat(size)}`);
    assert.equal(await answerOf(socket), `${size}\n`);
  }
  socket.destroy();
});

test('a body that takes too long is answered with 408', async () => {
  await using listening = await server(() => undefined);
  for (const head of ['content-length: 10', 'transfer-encoding: chunked']) {
    const { ended } = await opened(listening.local.port, head);
    assert.match(await ended(), /^HTTP\/1\.1 408 /, head);
  }
});

test('a long body that the handler expects may take longer', async () => {
  const expected = Promise.withResolvers<void>();
  await using listening = await server((request) => {
    request.expectLongBody?.();
    expected.resolve();
  });
  const { socket, ended } = await opened(listening.local.port, 'content-length: 4\r\nconnection: close');
  await expected.promise;
  // The shorter limit would have ended in the meantime.
  await new Promise((resolve) => setTimeout(resolve, 20));
  socket.write('last');
  assert.match(await ended(), /^HTTP\/1\.1 200 [^]*4\n$/);
});

test('a long body of which nothing arrives is given up', async () => {
  await using listening = await server((request) => request.expectLongBody?.(), {
    wholeMs: 60_000,
    idleMs: 1,
  });
  const { ended } = await opened(listening.local.port, 'content-length: 4');
  assert.match(await ended(), /^HTTP\/1\.1 408 /);
});

test('a request without a body has no limit', async () => {
  await using listening = await server(() => undefined);
  const { ended } = await opened(listening.local.port, 'connection: close');
  assert.match(await ended(), /^HTTP\/1\.1 200 /);
});

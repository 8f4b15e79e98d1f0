import assert from 'node:assert/strict';
import { createServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { CallError } from '@tinkerbell/sim/grpc-connection';
import { LoadGrpc } from './load-grpc.ts';

const echo = {
  path: '/test/Echo',
  requestSerialize: (text: string) => Buffer.from(text),
  responseDeserialize: (bytes: Buffer) => bytes.toString(),
};

/** Node's own server, with compressed header fields. */
async function serving(
  answer: (stream: ServerHttp2Stream, body: Buffer, authorization: string | undefined) => void,
  token?: string,
) {
  const server = createServer();
  const sessions: ServerHttp2Session[] = [];
  server.on('session', (session) => sessions.push(session));
  server.on('stream', (stream: ServerHttp2Stream, fields) => {
    const parts: Buffer[] = [];
    stream.on('data', (part: Buffer) => parts.push(part));
    stream.on('end', () => answer(stream, Buffer.concat(parts), fields.authorization));
    stream.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = await LoadGrpc.open(`127.0.0.1:${(server.address() as AddressInfo).port}`, { token });
  return {
    client,
    [Symbol.dispose]() {
      client.close();
      for (const session of sessions) session.destroy();
      server.close();
    },
  };
}

function lengthOf(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return length;
}

function respond(stream: ServerHttp2Stream, body: Buffer, trailers: Record<string, string>): void {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  stream.end(body);
}

test('many calls of one connection get their own answers', async () => {
  using served = await serving((stream, body) => respond(stream, body, { 'grpc-status': '0' }));
  const texts = Array.from({ length: 200 }, (_, index) => `message ${index}`.repeat(index));
  assert.deepEqual(await Promise.all(texts.map((text) => served.client.unary(echo, text))), texts);
});

test('each call carries the token, whatever its length', async () => {
  for (const length of [1, 119, 120, 247, 248, 2000]) {
    const token = 'x'.repeat(length);
    using served = await serving((stream, _body, authorization = '') => {
      const text = Buffer.from(authorization);
      respond(stream, Buffer.concat([Buffer.alloc(1), lengthOf(text), text]), { 'grpc-status': '0' });
    }, token);
    for (let call = 0; call < 2; call += 1)
      assert.equal(await served.client.unary(echo, ''), `Bearer ${token}`);
  }
});

test('a call fails with its status, also when it had an answer', async () => {
  using served = await serving((stream, body) =>
    respond(stream, body, { 'grpc-status': '9', 'grpc-message': 'not now' }),
  );
  await assert.rejects(served.client.unary(echo, 'x'), /gRPC status 9: not now/);
});

test('a call fails when the answer has no status, the stream is reset, or the connection breaks', async () => {
  const ends: ((stream: ServerHttp2Stream, body: Buffer) => void)[] = [
    (stream, body) => {
      stream.respond({ ':status': 200 });
      stream.end(body);
    },
    (stream) => stream.close(8),
    (stream) => stream.session?.destroy(),
  ];
  for (const end of ends) {
    using served = await serving(end);
    await assert.rejects(served.client.unary(echo, 'x'), CallError);
  }
});

test('a call on a connection that has ended fails', async () => {
  using served = await serving(() => undefined);
  served.client.close();
  const isBroken = (error: unknown): boolean => error instanceof CallError && error.code === 14;
  await assert.rejects(served.client.unary(echo, 'open when it ends'), isBroken);
  await assert.rejects(served.client.unary(echo, 'begun after its end'), isBroken);
});

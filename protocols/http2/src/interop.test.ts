/** The client's side with a server of others, node:http2, over a socket. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import { connect, type AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { ClientConnection, encodeFields, fieldOf, type ClientStream } from './index.ts';
import { optionsOf } from './testing/raw-client.ts';

const LARGE = 300_000;
let server: Http2Server;

before(async () => {
  server = createServer();
  server.on('stream', (one, headers) => {
    const stream = one as ServerHttp2Stream;
    stream.on('error', () => undefined);
    if (headers[':path'] === '/reset') return stream.close(7);
    stream.additionalHeaders({ ':status': 103 });
    stream.respond({ ':status': 200, 'x-asked': headers['x-asked'] }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.pipe(stream);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
after(() => void server.close());

async function connected() {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const ready = Promise.withResolvers<void>();
  const finished = Promise.withResolvers<number>();
  const connection = new ClientConnection(
    {
      ready: ready.resolve,
      output: () => process.nextTick(() => socket.write(connection.takeOutput())),
      paused: () => setImmediate(() => connection.receive(new Uint8Array(0))),
      finished(code) {
        finished.resolve(code);
        process.nextTick(() => socket.end());
      },
    },
    optionsOf(),
  );
  socket.on('data', (bytes: Buffer) => connection.receive(bytes));
  await ready.promise;
  return { connection, finished: finished.promise };
}

interface Answer {
  readonly asked: string | undefined;
  readonly text: string;
  readonly trailers: readonly string[];
  readonly code: number | undefined;
}

function ask(connection: ClientConnection, path: string, body: Buffer): Promise<Answer> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let asked: string | undefined;
    let trailers: readonly string[] = [];
    const end = (code?: number): void =>
      resolve({ asked, text: Buffer.concat(parts).toString(), trailers, code });
    const block = encodeFields([
      [':method', 'POST'],
      [':scheme', 'http'],
      [':path', path],
      [':authority', 'a.example.org'],
      ['x-asked', path.repeat(20)],
    ]);
    const stream: ClientStream = connection.request({
      block,
      isEnd: false,
      isHead: false,
      listener: {
        answered: (_, fields) => void (asked = fieldOf(fields, 'x-asked')),
        data(bytes) {
          parts.push(Buffer.from(bytes));
          stream.consumed(bytes.length);
        },
        trailers: (fields) => void (trailers = fields),
        end,
        drained: () => undefined,
        aborted: end,
      },
    });
    stream.sendData(body, true);
  });
}

test('node:http2 answers small and large requests at once, and one that it refuses', async () => {
  const { connection, finished } = await connected();
  const [small, refused, ...large] = await Promise.all([
    ask(connection, '/small', Buffer.from('hello')),
    ask(connection, '/reset', Buffer.from('hello')),
    ...Array.from({ length: 10 }, (_, index) =>
      ask(connection, `/${index}`, Buffer.alloc(LARGE, `${index}`)),
    ),
  ]);
  assert.deepEqual(small, {
    asked: '/small'.repeat(20),
    text: 'hello',
    trailers: ['grpc-status', '0'],
    code: undefined,
  });
  assert.equal(refused?.code, 7);
  for (const [index, { text, asked }] of large.entries()) {
    assert.equal(asked, `/${index}`.repeat(20));
    assert.equal(text, `${index}`.repeat(LARGE));
  }
  assert.equal(connection.streams, 0);
  connection.leave();
  assert.equal(await finished, 0);
});

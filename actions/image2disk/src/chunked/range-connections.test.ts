import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { DECLINED, RangeConnections } from './range-connections.ts';

const HANGS = { timeout: 60_000 };
const FILE = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));

interface Asked {
  /** The number of the connection, from 1 on. */
  readonly connection: number;
  readonly socket: Socket;
  readonly first: number;
  readonly last: number;
  readonly head: string;
}

async function serve(context: TestContext, answer: (asked: Asked) => void): Promise<URL> {
  let connections = 0;
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    connections += 1;
    const connection = connections;
    open.add(socket);
    socket
      .on('error', () => {})
      .on('data', (bytes: Buffer) => {
        const head = bytes.toString('latin1');
        const [, first, last] = /^Range: bytes=(\d+)-(\d+)\r$/m.exec(head) ?? [];
        answer({ connection, socket, head, first: Number(first), last: Number(last) });
      });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v2/a/blobs/b?x=y`);
}

function right({ first, last }: Asked): Buffer {
  const body = FILE.subarray(first, last + 1);
  const range = `bytes ${first}-${last}/${FILE.length}`;
  const head = `HTTP/1.1 206 Partial Content\r\nContent-Length: ${body.length}\r\nContent-Range: ${range}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

async function fetched(connections: RangeConnections, url: URL, first: number, length: number) {
  const target = new Uint8Array(new SharedArrayBuffer(length));
  let count = 0;
  const arrived = (more: number): void => void (count += more);
  const signal = new AbortController().signal;
  const end = await connections.fetch({ url, first, target, signal, arrived });
  return { end, count, isRight: FILE.subarray(first, first + length).equals(target) };
}

const RIGHT = (length: number) => ({ end: undefined, count: length, isRight: true });

test('fetches ranges one after the other over one connection', HANGS, async (context) => {
  const seen: Asked[] = [];
  const url = await serve(context, (asked) => {
    seen.push(asked);
    asked.socket.write(right(asked));
  });
  using connections = new RangeConnections();
  for (const [first, length] of [
    [0, 1],
    [7, 200_000],
    [299_999, 1],
    [100, 9000],
  ] as const)
    assert.deepEqual(await fetched(connections, url, first, length), RIGHT(length));
  assert.deepEqual(new Set(seen.map(({ connection }) => connection)), new Set([1]));
  assert.match(seen[0]?.head ?? '', /^GET \/v2\/a\/blobs\/b\?x=y HTTP\/1\.1\r\nHost: 127\.0\.0\.1:\d+\r\n/);
});

test('several at once have a connection each', HANGS, async (context) => {
  const waiting: Asked[] = [];
  const url = await serve(context, (asked) => {
    waiting.push(asked);
    if (waiting.length === 3) for (const one of waiting.toReversed()) one.socket.write(right(one));
  });
  using connections = new RangeConnections();
  const all = [0, 1000, 2000].map((first) => fetched(connections, url, first, 1000));
  assert.deepEqual(await Promise.all(all), [RIGHT(1000), RIGHT(1000), RIGHT(1000)]);
});

test('an answer may come byte by byte', HANGS, async (context) => {
  const url = await serve(context, async (asked) => {
    for (const byte of right(asked)) {
      asked.socket.write(Buffer.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  using connections = new RangeConnections();
  assert.deepEqual(await fetched(connections, url, 40, 60), RIGHT(60));
});

test(
  'a break rejects, says what has arrived, and the next one has a new connection',
  HANGS,
  async (context) => {
    const url = await serve(context, (asked) => {
      if (asked.connection === 1) asked.socket.end(right(asked).subarray(0, -10));
      else asked.socket.write(right(asked));
    });
    using connections = new RangeConnections();
    const target = new Uint8Array(500);
    let count = 0;
    const arrived = (more: number): void => void (count += more);
    const { signal } = new AbortController();
    await assert.rejects(
      connections.fetch({ url, first: 0, target, signal, arrived }),
      /the connection ended/,
    );
    assert.equal(count, 490);
    assert.deepEqual(await fetched(connections, url, 490, 10), RIGHT(10));
  },
);

test('bytes that nobody asked for are not in the next range', HANGS, async (context) => {
  const url = await serve(context, (asked) =>
    asked.socket.write(Buffer.concat([right(asked), Buffer.alloc(9)])),
  );
  using connections = new RangeConnections();
  assert.deepEqual(await fetched(connections, url, 0, 100_000), RIGHT(100_000));
  // They come before or after the next request.
  const next = await fetched(connections, url, 100, 100_000);
  assert.ok(next.end === DECLINED || next.isRight);
});

test(
  'another kind of answer is declined, with nothing arrived, and then nobody is asked',
  HANGS,
  async (context) => {
    let asked = 0;
    const url = await serve(context, ({ socket }) => {
      asked += 1;
      socket.write('HTTP/1.1 307 Temporary Redirect\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n');
    });
    using connections = new RangeConnections();
    for (const wanted of [url, url, new URL('https://127.0.0.1:1/')])
      assert.deepEqual(await fetched(connections, wanted, 0, 100), {
        end: DECLINED,
        count: 0,
        isRight: false,
      });
    assert.equal(asked, 1);
  },
);

test('a stopped fetch rejects, also before its connection is there', HANGS, async (context) => {
  const stop = new AbortController();
  const url = await serve(context, () => stop.abort());
  using connections = new RangeConnections();
  const wanted = { url, first: 0, target: new Uint8Array(9), signal: stop.signal, arrived: () => {} };
  await assert.rejects(connections.fetch(wanted), /stopped/);
  await assert.rejects(connections.fetch(wanted), /stopped/);
});

test('a server that refuses connections rejects with its code', HANGS, async () => {
  using connections = new RangeConnections();
  const url = new URL('http://127.0.0.1:9/');
  await assert.rejects(fetched(connections, url, 0, 9), { code: 'ECONNREFUSED' });
});

import assert from 'node:assert/strict';
import { randomFillSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, get as getByTls } from 'node:https';
import type { Log } from '@tinkerbell/platform-contract';
import { certify, ecdsaKey } from '@tinkerbell/platform-x509';
import { fileCalls, type FileCalls } from './file-calls.ts';
import { sendFilePart, type SendOptions } from './file-sender.ts';
import { createNodeHttp, nodeFiles } from './index.ts';

const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silentLog };
const directory = mkdtempSync(join(tmpdir(), 'file-sender-'));
const path = join(directory, 'file');
const bytes = randomFillSync(Buffer.alloc(24 * 1024 ** 2 + 12_345));
writeFileSync(path, bytes);
after(() => rmSync(directory, { recursive: true }));

const real = await fileCalls();
/** Nothing is cached. */
const cold: FileCalls = {
  isCached: () => false,
  readCached: () => 0,
  sendFile: () => assert.fail('would wait for the disk'),
};
/** Some bytes of each run are cached. */
const partly: FileCalls = {
  ...cold,
  readCached: (fd, chunk, position) =>
    position % 2 === 0 ? (real?.readCached(fd, chunk.subarray(0, 999), position) ?? 0) : 0,
};
/** The socket is full each time. */
const full: FileCalls = { isCached: () => true, readCached: () => 0, sendFile: () => -1 };

interface Sent {
  moved: number;
  ended: number;
}

/** Answers with bytes of the file in the path. */
async function serving(
  { tls, ...options }: SendOptions & { readonly tls?: { readonly key: string; readonly cert: string } },
  use: (port: number, sent: Sent) => Promise<void>,
): Promise<void> {
  const sent: Sent = { moved: 0, ended: 0 };
  const progress = { moved: (more: number) => (sent.moved += more), ended: () => (sent.ended += 1) };
  const answer = async (start: number, outgoing: ServerResponse) => {
    outgoing.setHeader('content-length', bytes.length - start).flushHeaders();
    try {
      const part = { name: path, open: () => open(path), range: { start, end: bytes.length - 1 }, progress };
      await sendFilePart(outgoing, part, options);
      outgoing.end();
    } catch {
      outgoing.destroy();
    }
  };
  const listener = (incoming: IncomingMessage, outgoing: ServerResponse) =>
    void answer(Number(incoming.url?.slice(1)), outgoing);
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    await use((server.address() as AddressInfo).port, sent);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const ways: readonly [string, FileCalls | undefined][] = [
  ['by the kernel', real],
  ['without calls of the kernel', undefined],
  ['when nothing is in the cache', cold],
  ['when some of it is in the cache', partly],
  ['when the socket is always full', full],
];
for (const [name, calls] of ways) {
  test(`a part arrives unchanged ${name}, also when the reader pauses`, async () => {
    await serving({ calls: Promise.resolve(calls) }, async (port, sent) => {
      const request = get({ port, host: '127.0.0.1', path: '/777' });
      const [incoming] = await once(request, 'response');
      const received: Uint8Array[] = [];
      for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
        received.push(chunk);
        if (received.length % 100 === 1) await new Promise(setImmediate);
      }
      assert.ok(Buffer.concat(received).equals(bytes.subarray(777)));
      while (sent.ended === 0) await new Promise(setImmediate);
      assert.deepEqual(sent, { moved: bytes.length - 777, ended: 1 });
    });
  });
}

test('the kernel sends most of it where it can', { skip: real === undefined && 'no FFI here' }, async () => {
  assert.ok(real);
  let byKernel = 0;
  const counted: FileCalls = {
    ...real,
    sendFile(socket, fd, part) {
      const count = real.sendFile(socket, fd, part);
      byKernel += Math.max(0, count);
      return count;
    },
  };
  await serving({ calls: Promise.resolve(counted) }, async (port) => {
    const answer = await fetch(`http://127.0.0.1:${port}/0`);
    assert.equal((await answer.arrayBuffer()).byteLength, bytes.length);
  });
  assert.ok(byKernel > bytes.length / 2, `${byKernel}`);
});

test('many parts that are sent at once arrive unchanged', async () => {
  await serving({ calls: Promise.resolve(undefined) }, async (port) => {
    const start = bytes.length - 1_000_000;
    const asked = Array.from({ length: 24 }, () => fetch(`http://127.0.0.1:${port}/${start}`));
    for (const answer of await Promise.all(asked))
      assert.ok(Buffer.from(await answer.arrayBuffer()).equals(bytes.subarray(start)));
  });
});

const key = ecdsaKey('P-256');
const authority = { commonName: 'a', dnsNames: [], ips: ['127.0.0.1'], daysValid: 1, isAuthority: true, key };
const made = certify(authority, Date.now());
assert.ok(made.ok);
const tls = { key, cert: made.certificate };
for (const [name, secured] of [
  ['plainly', undefined],
  ['over TLS', tls],
] as const) {
  test(`parts for readers that wait until the kernel takes no more arrive unchanged ${name}`, async () => {
    const options = { calls: Promise.resolve(cold), ...(secured === undefined ? {} : { tls: secured }) };
    await serving(options, async (port) => {
      const read = async (start: number): Promise<void> => {
        const place = { port, host: '127.0.0.1', path: `/${start}`, agent: false } as const;
        const request = secured === undefined ? get(place) : getByTls({ ...place, ca: secured.cert });
        const [incoming] = (await once(request, 'response')) as [IncomingMessage];
        await new Promise((resolve) => setTimeout(resolve, 200));
        const received: Uint8Array[] = [];
        for await (const chunk of incoming as AsyncIterable<Uint8Array>) received.push(chunk);
        assert.ok(Buffer.concat(received).equals(bytes.subarray(start)), `from ${start}`);
      };
      await Promise.all([0, 777, 1_234_567, 2_345_678].map(read));
    });
  });
}

test('two answers requested at once are sent one after the other', async () => {
  await serving({}, async (port) => {
    const socket = connect(port, '127.0.0.1');
    const start = bytes.length - 200_000;
    socket.write(
      `GET /${start} HTTP/1.1\r\nhost: a\r\n\r\nGET /${start} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`,
    );
    const received: Uint8Array[] = [];
    for await (const chunk of socket as AsyncIterable<Uint8Array>) received.push(chunk);
    const all = Buffer.concat(received);
    const second = all.indexOf('HTTP/1.1', 100);
    assert.ok(all.subarray(second - 200_000, second).equals(bytes.subarray(start)));
    assert.ok(all.subarray(-200_000).equals(bytes.subarray(start)));
  });
});

test('a reader that reads nothing is cut off, and the bytes that it had are reported', async () => {
  await serving({ stalledMs: 100 }, async (port, sent) => {
    const socket = connect(port, '127.0.0.1').pause();
    socket.on('error', () => undefined);
    socket.write('GET /0 HTTP/1.1\r\nhost: a\r\n\r\n');
    while (sent.ended === 0) await new Promise(setImmediate);
    assert.ok(sent.moved < bytes.length, `${sent.moved}`);
    socket.destroy();
  });
});

test('a file that became shorter ends the answer before its length', async () => {
  const short = join(directory, 'short');
  writeFileSync(short, bytes);
  const handler = async () => {
    const stream = nodeFiles.stream(directory, 'short', { start: 0, end: bytes.length - 1 });
    truncateSync(short, 1000);
    return new Response(stream, { headers: { 'content-length': `${bytes.length}` } });
  };
  const server = await createNodeHttp(silentLog).listen({ port: 0, address: '127.0.0.1' }, handler);
  try {
    const answer = await fetch(`http://127.0.0.1:${server.local.port}/`);
    await assert.rejects(answer.arrayBuffer());
  } finally {
    await server.close(0);
  }
});

test(
  'the kernel reports whether a file is in its cache',
  { skip: real === undefined && 'no FFI here' },
  async () => {
    await using file = await open(path, 'r');
    await file.read(new Uint8Array(65_536), 0, 65_536, 0);
    assert.equal(real?.isCached(file.fd, 0, 65_536), true);
    assert.equal(real?.isCached(file.fd, bytes.length, 1), false);
    assert.equal(real?.isCached(-1, 0, 1), false);
    const chunk = new Uint8Array(new ArrayBuffer(1000));
    assert.equal(real?.readCached(file.fd, chunk, 123), 1000);
    assert.ok(bytes.subarray(123, 1123).equals(chunk));
    assert.equal(real?.readCached(file.fd, chunk, bytes.length - 10), 10);
    assert.equal(real?.readCached(file.fd, chunk, bytes.length), 0);
    assert.equal(real?.readCached(-1, chunk, 0), 0);
  },
);

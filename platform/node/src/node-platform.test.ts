import assert from 'node:assert/strict';
import { get, type IncomingMessage } from 'node:http';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import {
  peerOf,
  WholeResponse,
  type Datagram,
  type HttpRequest,
  type PlatformError,
} from '@tinkerbell/platform-contract';
import { createNodeHttp, createNodeLog, nodeClock, nodeFiles, nodeSpawn, nodeUdp } from './index.ts';

const log = createNodeLog({ level: 'silent', format: 'json' });
const folder = mkdtempSync(join(tmpdir(), 'tinkerbell-platform-'));
after(() => rmSync(folder, { recursive: true }));

const ignoreErrors = { onError() {} };

test('receives and sends datagrams', async () => {
  const { promise: received, resolve } = Promise.withResolvers<Datagram>();
  await using server = await nodeUdp.open(
    { port: 0, address: '127.0.0.1' },
    { onDatagram: resolve, ...ignoreErrors },
  );
  await using client = await nodeUdp.open(
    { port: 0, address: '127.0.0.1' },
    { onDatagram() {}, ...ignoreErrors },
  );
  client.send(new Uint8Array([1, 2, 3]), server.local);
  const datagram = await received;
  assert.deepEqual([...datagram.bytes], [1, 2, 3]);
  const { address, port, key } = datagram.peer;
  assert.deepEqual({ address, port, key }, peerOf('127.0.0.1', client.local.port));
});

test(
  'knows the network interface of a bound socket',
  { skip: process.getuid?.() === 0 ? false : 'needs root' },
  async () => {
    const { promise: received, resolve } = Promise.withResolvers<Datagram>();
    await using server = await nodeUdp.open(
      { port: 0, networkInterface: 'lo', reuseAddress: true, broadcast: true },
      { onDatagram: resolve, ...ignoreErrors },
    );
    await using client = await nodeUdp.open(
      { port: 0, address: '127.0.0.1' },
      { onDatagram() {}, ...ignoreErrors },
    );
    client.send(new Uint8Array([7]), { address: '127.0.0.1', port: server.local.port });
    assert.equal((await received).networkInterface, 'lo');
  },
);

test(
  'reports that a network interface does not exist',
  { skip: process.getuid?.() === 0 ? false : 'needs root' },
  async () => {
    const opening = nodeUdp.open(
      { port: 0, networkInterface: 'nosuch0' },
      { onDatagram() {}, ...ignoreErrors },
    );
    await assert.rejects(
      opening,
      (error: PlatformError) =>
        error.code === 'no-such-interface' && /nosuch0; this host has .*\blo\b/.test(error.message),
    );
  },
);

test('names the port and the program that has it', async () => {
  await using udp = await nodeUdp.open(
    { port: 0, address: '127.0.0.1' },
    { onDatagram() {}, ...ignoreErrors },
  );
  const again = nodeUdp.open(
    { port: udp.local.port, address: '127.0.0.1' },
    { onDatagram() {}, ...ignoreErrors },
  );
  await assert.rejects(
    again,
    (error: PlatformError) =>
      error.code === 'address-in-use' && error.message.includes(`(process ${process.pid})`),
  );
  const http = createNodeHttp(log);
  await using server = await http.listen({ port: 0, address: '127.0.0.1' }, () =>
    Promise.resolve(new Response('')),
  );
  await assert.rejects(
    http.listen({ port: server.local.port, address: '127.0.0.1' }, () => Promise.resolve(new Response(''))),
    /TCP port \d+ is in use by \w+/,
  );
});

test('answers HTTP with peer, body and streaming', async () => {
  await using server = await createNodeHttp(log).listen(
    { port: 0, address: '127.0.0.1' },
    async (request, context) => {
      return new Response(
        `${request.method} ${new URL(request.url).pathname} ${context.peer.address} ${await request.text()}`,
        { status: 201 },
      );
    },
  );
  const url = `http://127.0.0.1:${server.local.port}/a/b`;
  const answer = await fetch(url, { method: 'POST', body: 'hello' });
  assert.equal(answer.status, 201);
  assert.equal(await answer.text(), 'POST /a/b 127.0.0.1 hello');
  const head = await fetch(url, { method: 'HEAD' });
  assert.equal(await head.text(), '');
});

test('sends a whole response in one piece, and only its headers for HEAD', async () => {
  const answer = () =>
    Promise.resolve(new WholeResponse('hello', { status: 201, headers: { 'x-kind': 'whole' } }));
  await using server = await createNodeHttp(log).listen({ port: 0, address: '127.0.0.1' }, answer);
  const url = `http://127.0.0.1:${server.local.port}/`;
  const got = await fetch(url);
  assert.deepEqual([got.status, got.headers.get('x-kind'), await got.text()], [201, 'whole', 'hello']);
  const head = await fetch(url, { method: 'HEAD' });
  assert.deepEqual([head.headers.get('content-length'), await head.text()], ['5', '']);
  assert.equal(await (await answer()).text(), 'hello', 'every other reader sees a Response');
});

test('joins the values of a repeated header, so that none hides behind another', async () => {
  const answer = (request: HttpRequest) =>
    Promise.resolve(new WholeResponse(request.headers.get('X-Forwarded-For') ?? 'none'));
  await using server = await createNodeHttp(log).listen({ port: 0, address: '127.0.0.1' }, answer);
  const { port } = server.local;
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    get({ port, headers: { 'x-forwarded-for': ['192.0.2.1', '192.0.2.2'] } }, resolve).on('error', reject),
  );
  assert.equal(await text(response), '192.0.2.1, 192.0.2.2');
});

test('an answer before the whole body arrived ends the connection', async () => {
  const refuse = () => Promise.resolve(new Response('too large', { status: 413 }));
  await using server = await createNodeHttp(log).listen({ port: 0, address: '127.0.0.1' }, refuse);
  const url = `http://127.0.0.1:${server.local.port}/`;
  const refused = await fetch(url, { method: 'POST', body: new Uint8Array(8 * 1024 * 1024) });
  assert.deepEqual([refused.status, refused.headers.get('connection')], [413, 'close']);
  assert.equal((await fetch(url)).status, 413);
});

test('closes as soon as the active answers have ended, with idle connections open', async () => {
  const { promise: asked, resolve: markAsked } = Promise.withResolvers<void>();
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
  const server = await createNodeHttp(log).listen({ port: 0, address: '127.0.0.1' }, async () => {
    markAsked();
    await mayAnswer;
    return new Response('late');
  });
  const late = fetch(`http://127.0.0.1:${server.local.port}/`).then((response) => response.text());
  await asked;
  // Longer than the time limit of any test. Only the end of the response can end this wait.
  const closed = server.close(3_600_000);
  answer();
  assert.equal(await late, 'late');
  await closed;
});

test('answers 500 when a handler fails', async () => {
  await using server = await createNodeHttp(log).listen({ port: 0, address: '127.0.0.1' }, () =>
    Promise.reject(new Error('broken')),
  );
  assert.equal((await fetch(`http://127.0.0.1:${server.local.port}/`)).status, 500);
});

test('reads files below a root and nothing outside it', async () => {
  mkdirSync(join(folder, 'root'));
  writeFileSync(join(folder, 'root', 'file'), '0123456789');
  writeFileSync(join(folder, 'secret'), 'x');
  symlinkSync(join(folder, 'secret'), join(folder, 'root', 'link'));
  const root = join(folder, 'root');
  assert.equal((await nodeFiles.stat(root, 'file'))?.sizeBytes, 10);
  assert.equal(await text(nodeFiles.stream(root, 'file', { start: 2, end: 4 })), '234');
  const range = await nodeFiles.readRange(root, 'file', { start: 7, end: 20 });
  assert.deepEqual([Buffer.from(range?.bytes ?? []).toString(), range?.info.sizeBytes], ['789', 10]);
  assert.equal(await nodeFiles.readRange(root, 'link', { start: 0, end: 0 }), undefined);
  for (const path of ['../secret', 'link', 'nothing', 'file\0'])
    assert.equal(await nodeFiles.stat(root, path), undefined);
  await assert.rejects(nodeFiles.read(root, 'file', 5), /larger than 5 bytes/);
  assert.deepEqual(await nodeFiles.names(root, ''), ['file', 'link']);
});

test('sends a large file whole and in ranges, and closes it when the client disconnects', async () => {
  const bytes = new Uint8Array(5 * 1024 * 1024 + 17).map((_, index) => (index * 31) % 251);
  writeFileSync(join(folder, 'large'), bytes);
  const { promise: gone, resolve: markGone } = Promise.withResolvers<void>();
  await using server = await createNodeHttp(log).listen(
    { port: 0, address: '127.0.0.1' },
    async (request, context) => {
      const start = Number(new URL(request.url).searchParams.get('start'));
      context.signal.addEventListener('abort', () => markGone());
      return new Response(nodeFiles.stream(folder, 'large', { start, end: bytes.length - 1 }));
    },
  );
  const url = `http://127.0.0.1:${server.local.port}/`;
  for (const start of [0, 1, 1024 * 1024, bytes.length - 1]) {
    const received = new Uint8Array(await (await fetch(`${url}?start=${start}`)).arrayBuffer());
    assert.ok(Buffer.from(received).equals(bytes.subarray(start)), `from ${start}`);
  }
  const leaving = new AbortController();
  const answer = await fetch(url, { signal: leaving.signal });
  await answer.body?.getReader().read();
  leaving.abort();
  await gone;
});

test('runs a program, and kills its whole group on abort', async () => {
  const echo = await nodeSpawn.start({ command: 'sh', arguments: ['-c', 'cat; exit 3'] });
  const writer = echo.stdin.getWriter();
  await writer.write(new TextEncoder().encode('through'));
  await writer.close();
  assert.equal(await text(echo.stdout), 'through');
  assert.deepEqual(await echo.exited, { code: 3, signal: undefined });
  const stopping = new AbortController();
  const sleeping = await nodeSpawn.start({
    command: 'sh',
    arguments: ['-c', 'sleep 60 & sleep 60'],
    signal: stopping.signal,
  });
  stopping.abort();
  assert.equal((await sleeping.exited).signal, 'SIGKILL');
  await assert.rejects(
    nodeSpawn.start({ command: 'no-such-program', arguments: [] }),
    (error: PlatformError) => error.code === 'not-found',
  );
});

test('supports delays beyond the limit of setTimeout', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  let ran = 0;
  nodeClock.schedule(2 ** 31 + 1000, () => (ran += 1));
  context.mock.timers.tick(2 ** 31 - 1);
  assert.equal(ran, 0);
  context.mock.timers.tick(1001);
  assert.equal(ran, 1);
  const cancel = nodeClock.schedule(2 ** 31 + 1000, () => (ran += 1));
  context.mock.timers.tick(2 ** 31 - 1);
  cancel();
  context.mock.timers.tick(5000);
  assert.equal(ran, 1);
});

test('sends many datagrams of one size in one call, with a shorter last one, and more than the kernel accepts at once', async () => {
  const received: string[] = [];
  const { promise: last, resolve } = Promise.withResolvers<void>();
  await using server = await nodeUdp.open(
    { port: 0, address: '127.0.0.1' },
    {
      onDatagram({ bytes }) {
        received.push(Buffer.from(bytes).toString('latin1'));
        if (bytes.length < 8) resolve();
      },
      ...ignoreErrors,
    },
  );
  await using client = await nodeUdp.open(
    { port: 0, address: '127.0.0.1' },
    { onDatagram() {}, ...ignoreErrors },
  );
  const pieces = Array.from({ length: 150 }, (_, index) => `${index}`.padStart(6, '.')).concat('end');
  const heads = Buffer.from(
    pieces.map((_, index) => String.fromCharCode(65 + (index % 26), 58)).join(''),
    'latin1',
  );
  const body = Buffer.from(`before${pieces.join('')}after`, 'latin1');
  const length = body.length - 'beforeafter'.length;
  const run = { count: 151, heads, headBytes: 2, body, offset: 6, length, pieceBytes: 6 };
  client.sendRun(run, server.local);
  heads.fill(0);
  await last;
  assert.deepEqual(
    received,
    pieces.map((piece, index) => `${String.fromCharCode(65 + (index % 26))}:${piece}`),
  );
});

test('answers that are sent together arrive one by one, whatever their sizes and peers', async () => {
  await using server = await nodeUdp.open(
    { port: 0, address: '127.0.0.1', coalesces: true },
    { onDatagram: ({ bytes, peer }) => server.send(bytes, peer), ...ignoreErrors },
  );
  const sizes = [300, 300, 300, 290, 300, 1, 1500, 1500, 1199, 301, 301];
  const texts = Array.from({ length: 60 }, (_, index) => `${index}`.padEnd(sizes[index % 11] ?? 0, '.'));
  const answersTo = async () => {
    const received: string[] = [];
    const { promise: all, resolve } = Promise.withResolvers<void>();
    const client = await nodeUdp.open(
      { port: 0, address: '127.0.0.1' },
      {
        onDatagram({ bytes }) {
          received.push(Buffer.from(bytes).toString('latin1'));
          if (received.length === texts.length) resolve();
        },
        ...ignoreErrors,
      },
    );
    return { client, received, all };
  };
  const [one, other] = [await answersTo(), await answersTo()];
  await using _one = one.client;
  await using _other = other.client;
  for (const text of texts)
    for (const { client } of [one, other]) client.send(Buffer.from(text, 'latin1'), server.local);
  await Promise.all([one.all, other.all]);
  assert.deepEqual(one.received, texts);
  assert.deepEqual(other.received, texts);
});

test('segments that are too large for the kernel to split arrive nevertheless', async () => {
  const lengths: number[] = [];
  const { promise: all, resolve } = Promise.withResolvers<void>();
  await using server = await nodeUdp.open(
    { port: 0, address: '127.0.0.1' },
    {
      onDatagram({ bytes }) {
        lengths.push(bytes.length);
        if (lengths.length === 3) resolve();
      },
      ...ignoreErrors,
    },
  );
  await using client = await nodeUdp.open(
    { port: 0, address: '127.0.0.1' },
    { onDatagram() {}, ...ignoreErrors },
  );
  const body = new Uint8Array(100_000);
  const heads = new Uint8Array(12);
  client.sendRun(
    { count: 3, heads, headBytes: 4, body, offset: 0, length: body.length, pieceBytes: 40_000 },
    server.local,
  );
  await all;
  assert.deepEqual(lengths, [40_004, 40_004, 20_004]);
});

test('a datagram that cannot be sent is reported through onError', async () => {
  const { promise: failed, resolve } = Promise.withResolvers<Error>();
  await using client = await nodeUdp.open(
    { port: 0, address: '127.0.0.1' },
    { onDatagram() {}, onError: resolve },
  );
  client.send(new Uint8Array(70_000), { address: '127.0.0.1', port: 9 });
  assert.match((await failed).message, /EMSGSIZE/);
});

test(
  'knows the largest packet of the loopback interface',
  { skip: process.platform === 'linux' ? false : 'needs Linux' },
  () => {
    const loopback = nodeUdp.networkInterfaces().find(({ name }) => name === 'lo');
    assert.ok((loopback?.mtuBytes ?? 0) >= 1500);
  },
);

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { certify, ecdsaKey } from '@tinkerbell/platform-x509';
import { PIPELINED_MAX } from './index.ts';
import { limitedServer, type Handle } from './testing/limited-server.ts';

const GET = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';
const CHUNKED = 'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n';

const serving = (handle: Handle) => limitedServer(createServer(), handle);

async function said(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('latin1').on('data', (part: string) => void (text += part));
  await once(socket, 'close');
  return text;
}

async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await new Promise(setImmediate);
}

const answersIn = (text: string): number => text.split('HTTP/1.1 200 OK').length - 1;

test('a packet of thousands of requests creates a few, and all of those are answered', async () => {
  await using server = await serving(async (_, outgoing) => {
    await new Promise(setImmediate);
    outgoing.end('x'.repeat(1000));
  });
  const socket = server.socket();
  socket.write(GET.repeat(2000));
  const text = await said(socket);
  assert.equal(server.seen.requests, PIPELINED_MAX + 1);
  assert.equal(answersIn(text), PIPELINED_MAX + 1);
  assert.doesNotMatch(text, /400/);
  assert.equal(text.split(/connection: close/i).length - 1, 1, 'only the last answer ends the connection');
  assert.deepEqual(server.faults, ['pipelined']);
});

test('a client that sends no more than there is room for keeps its connection', async () => {
  let [atOnce, most] = [0, 0];
  await using server = await serving(async (_, outgoing) => {
    atOnce += 1;
    most = Math.max(most, atOnce);
    await new Promise(setImmediate);
    atOnce -= 1;
    outgoing.end();
  });
  const socket = server.socket();
  let text = '';
  socket.setEncoding('latin1').on('data', (part: string) => void (text += part));
  for (let rounds = 1; rounds <= 20; rounds += 1) {
    socket.write(GET.repeat(PIPELINED_MAX + 1));
    await until(() => answersIn(text) === rounds * (PIPELINED_MAX + 1));
  }
  assert.equal(most, 1, 'each waits for the one before');
  assert.deepEqual(server.faults, []);
  socket.destroy();
});

test('each request begins in a turn of the event loop of its own', async () => {
  let turn = 0;
  const turns: number[] = [];
  const count = (): void => {
    turn += 1;
    if (turns.length < PIPELINED_MAX) setImmediate(count);
  };
  await using server = await serving(async (_, outgoing) => {
    turns.push(turn);
    outgoing.end();
  });
  const socket = server.socket();
  socket.write(GET.repeat(PIPELINED_MAX));
  count();
  await until(() => turns.length === PIPELINED_MAX);
  assert.equal(new Set(turns).size, PIPELINED_MAX, turns.join(' '));
  socket.destroy();
});

test('requests that wait when the connection ends are not handled', async () => {
  await using server = await serving(() => new Promise(() => undefined));
  const socket = server.socket();
  socket.write(GET.repeat(10));
  await until(() => server.seen.requests === 10);
  socket.destroy();
  await until(() => server.seen.withoutTurn === 9);
});

test('the errors of requests whose connection is lost have no stacks, and others have', async () => {
  const stacks: string[] = [];
  await using server = await serving(() => new Promise(() => undefined));
  server.onRequest((incoming) => incoming.on('error', ({ stack = '' }) => stacks.push(stack)));
  const socket = server.socket();
  socket.write(GET.repeat(10));
  await until(() => server.seen.requests === 10);
  socket.destroy();
  await until(() => stacks.length === 10);
  assert.deepEqual(new Set(stacks), new Set(['Error: aborted']));
  assert.match(new Error('later').stack ?? '', /\n +at /);
});

test('a client that reads nothing is not answered without end', async () => {
  let handled = 0;
  await using server = await serving(async (_, outgoing) => {
    handled += 1;
    outgoing.end(Buffer.alloc(4 * 1024 * 1024));
  });
  const socket = server.socket().pause();
  socket.write(GET.repeat(PIPELINED_MAX));
  await until(() => server.seen.requests === PIPELINED_MAX);
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.ok(handled < 5, `${handled} were handled`);
  socket.destroy();
});

test('what is not HTTP is refused with a status', async () => {
  await using server = await serving(async (_, outgoing) => void outgoing.end());
  for (const [sent, status] of [
    ['hello\r\n\r\n', '400 Bad Request'],
    [`GET / HTTP/1.1\r\nhost: x\r\na: ${'b'.repeat(20_000)}\r\n\r\n`, '431 Request Header Fields Too Large'],
  ] as const) {
    const socket = server.socket();
    socket.write(sent);
    assert.match(await said(socket), new RegExp(`HTTP/1.1 ${status}\r\nConnection: close`));
  }
  const socket = server.socket();
  socket.write(`${GET}hello\r\n\r\n`);
  const text = await said(socket);
  assert.ok(answersIn(text) === 1 && !text.includes('400'), 'nothing is sent within another answer');
  assert.deepEqual(server.faults, ['HPE_INVALID_METHOD', 'HPE_HEADER_OVERFLOW', 'HPE_INVALID_METHOD']);
});

test('a client that still sends when it is refused gets the answer', async () => {
  await using server = await serving(async (_, outgoing) => void outgoing.end());
  for (let count = 0; count < 20; count += 1) {
    const socket = server.socket();
    const answered = said(socket);
    socket.write('P');
    await new Promise(setImmediate);
    for (let part = 0; part < 50; part += 1) {
      socket.write(' /none HTTP/1.1\r\n');
      await new Promise(setImmediate);
    }
    socket.end();
    assert.match(await answered, /^HTTP\/1.1 400 Bad Request/);
  }
});

test('a client that continues to send after a refusal is not reset while it may take the answer', async () => {
  await using server = await serving(async (_, outgoing) => void outgoing.end());
  const socket = server.socket({ allowHalfOpen: true });
  const errors: Error[] = [];
  socket.on('error', (error) => void errors.push(error)).resume();
  socket.write('hello\r\n\r\n');
  await once(socket, 'end');
  for (let part = 0; part < 20; part += 1) {
    socket.write('more\r\n');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.deepEqual(errors, []);
  assert.equal(server.connections(), 1);
  assert.deepEqual(server.faults, ['HPE_INVALID_METHOD']);
  socket.destroy();
});

test('a client that stays connected after a refusal is dropped', async () => {
  await using server = await serving(async (_, outgoing) => void outgoing.end());
  const socket = server.socket({ allowHalfOpen: true });
  socket.write('hello\r\n\r\n');
  socket.resume();
  await once(socket, 'end');
  await until(() => server.connections() === 0);
  socket.destroy();
});

test('a connection that had a body in chunks can become a WebSocket', async () => {
  const upgrading = createServer({ shouldUpgradeCallback: () => true });
  upgrading.on('upgrade', (_, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
    socket.on('data', (bytes: Buffer) => void socket.write(bytes)).on('error', () => undefined);
  });
  await using server = await limitedServer(upgrading, async (incoming, outgoing) => {
    incoming.resume().once('end', () => outgoing.end());
  });
  const socket = server.socket();
  let text = '';
  socket.setEncoding('latin1').on('data', (part: string) => void (text += part));
  socket.write(CHUNKED);
  await until(() => answersIn(text) === 1);
  socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
  await until(() => text.includes('101 Switching'));
  for (const word of [GET, 'hello']) {
    text = '';
    socket.write(word);
    await until(() => text.length >= word.length);
    assert.equal(text, word);
  }
  socket.destroy();
});

test('the same holds over TLS, and a client that sends no TLS is dropped', async () => {
  const key = ecdsaKey('P-256');
  const names = { commonName: 'a', ips: ['127.0.0.1'], dnsNames: [], daysValid: 1, isAuthority: true };
  const made = certify({ ...names, key }, 0);
  assert.ok(made.ok);
  const tls = createTlsServer({ key, cert: made.certificate });
  await using server = await limitedServer(tls, async (incoming, outgoing) => {
    let size = 0;
    for await (const part of incoming as AsyncIterable<Buffer>) size += part.length;
    outgoing.end(String(size));
  });
  const socket = connectTls({ port: server.port, host: '127.0.0.1', rejectUnauthorized: false });
  socket.on('error', () => undefined).write(CHUNKED + CHUNKED + GET.repeat(2000));
  const text = await said(socket);
  assert.equal(server.seen.requests, PIPELINED_MAX + 1);
  assert.equal(answersIn(text), PIPELINED_MAX + 1);
  const other = server.socket({ allowHalfOpen: true });
  other.resume().write('hello\r\n\r\n');
  await until(() => server.faults.length === 2);
  await until(() => server.connections() === 0);
  assert.equal(server.faults[0], 'pipelined');
  other.destroy();
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { test } from 'node:test';
import { hasTurn, limitRequests, PIPELINED_MAX } from './index.ts';

const GET = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';

async function serving(handle: (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>) {
  const seen = { requests: 0, withoutTurn: 0 };
  const faults: string[] = [];
  const server = createServer((incoming, outgoing) => {
    seen.requests += 1;
    void (async () => {
      if (outgoing.socket !== null || (await hasTurn(incoming, outgoing))) await handle(incoming, outgoing);
      else seen.withoutTurn += 1;
    })();
  });
  limitRequests(server, (reason) => void faults.push(reason));
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    seen,
    faults,
    connections: () => open.size,
    socket: (options: { readonly allowHalfOpen?: boolean } = {}) =>
      connect({ port, host: '127.0.0.1', ...options }).on('error', () => undefined),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function said(socket: ReturnType<typeof connect>): Promise<string> {
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
    if (turns.length < 20) setImmediate(count);
  };
  await using server = await serving(async (_, outgoing) => {
    turns.push(turn);
    outgoing.end();
  });
  const socket = server.socket();
  socket.write(GET.repeat(20));
  count();
  await until(() => turns.length === 20);
  assert.equal(new Set(turns).size, 20, turns.join(' '));
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
  const server = createServer({ shouldUpgradeCallback: () => true }, (incoming, outgoing) => {
    incoming.resume().once('end', () => outgoing.end());
  });
  server.on('upgrade', (_, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
    socket.on('data', (bytes: Buffer) => void socket.write(bytes)).on('error', () => undefined);
  });
  limitRequests(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  let text = '';
  socket.setEncoding('latin1').on('data', (part: string) => void (text += part));
  socket.write('POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n');
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
  server.closeAllConnections();
  server.close();
});

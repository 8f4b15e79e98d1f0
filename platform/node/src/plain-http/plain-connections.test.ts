import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { test } from 'node:test';
import {
  HeldBytes,
  WholeResponse,
  type HttpContext,
  type HttpHandler,
  type HttpRequest,
  type Log,
} from '@tinkerbell/platform-contract';
import type { PlainServing } from './plain-connection.ts';
import { PlainConnections } from './plain-connections.ts';

const PLAIN = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';
const CLOSING = 'GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';

/** Answers plain requests with `handler`, and those that are passed on with "by Node". */
async function serving(handler: HttpHandler, options: Partial<PlainServing> = {}) {
  const errors: string[] = [];
  const log: Log = {
    debug() {},
    info() {},
    warn() {},
    error: (text) => void errors.push(text),
    child: () => log,
  };
  const server = createServer((_, response) => response.end('by Node'));
  const held = new HeldBytes(1024 * 1024);
  const plain = new PlainConnections(server, {
    handler,
    log,
    held,
    firstMs: 60_000,
    idleMs: 60_000,
    ...options,
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const client = (): { socket: Socket; heard: () => string } => {
    let text = '';
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }).on('error', () => undefined);
    socket.setEncoding('latin1').on('data', (part: string) => void (text += part));
    return { socket, heard: () => text };
  };
  const accepted: Socket[] = [];
  server.on('connection', (socket: Socket) => void accepted.push(socket));
  return {
    errors,
    plain,
    server,
    client,
    /** The server's sockets, in the order of their connections. */
    accepted,
    async [Symbol.asyncDispose]() {
      plain.closeAll();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function until(condition: () => boolean): Promise<void> {
  const end = AbortSignal.timeout(60_000);
  while (!condition()) {
    assert.equal(end.aborted, false, `not within a minute: ${String(condition)}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

function answersIn(text: string): number {
  return text.split('HTTP/1.1 ').length - 1;
}

const hello: HttpHandler = async () => new WholeResponse('hello\n');

test('answers a plain request in one piece, with what Node says of itself, and keeps the connection', async () => {
  await using running = await serving(async ({ method, url }, { peer, localAddress }) => {
    return new WholeResponse(`${method} ${url} ${peer.address} ${localAddress}`, { headers: { 'x-a': 'b' } });
  });
  const { socket, heard } = running.client();
  for (let count = 1; count <= 3; count += 1) {
    socket.write('GET /a//b?c HTTP/1.1\r\nHost: x:80\r\n\r\n');
    await until(() => heard().endsWith('127.0.0.1') && answersIn(heard()) === count);
  }
  const [, answer = ''] = heard().split('HTTP/1.1 ');
  const shown = answer.replace(/Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n/, 'Date: then\r\n');
  assert.equal(
    shown,
    '200 OK\r\nx-a: b\r\ncontent-length: 39\r\nDate: then\r\nConnection: keep-alive\r\nKeep-Alive: timeout=60\r\n\r\n' +
      'GET http://x/a//b?c 127.0.0.1 127.0.0.1',
  );
});

test('a body that arrives with its head is read, in every form', async () => {
  const readers: ((request: HttpRequest) => Promise<string>)[] = [
    (request) => request.text(),
    async (request) => JSON.stringify(await request.json()),
    async (request) => String(Buffer.from(await request.arrayBuffer())),
    async (request) => {
      const pieces: Uint8Array[] = [];
      for await (const one of request.chunks?.() ?? []) pieces.push(one);
      return String(Buffer.concat(pieces));
    },
  ];
  let reader = readers[0];
  await using running = await serving(async (request) => new WholeResponse(`got ${await reader?.(request)}`));
  const { socket, heard } = running.client();
  for (const [index, one] of readers.entries()) {
    reader = one;
    socket.write('PUT / HTTP/1.1\r\nhost: x\r\ncontent-length: 7\r\n\r\n{"a":1}');
    await until(() => heard().split('got {"a":1}').length === index + 2);
  }
});

test('HEAD, 204 and 304 have no body', async () => {
  let status = 200;
  await using running = await serving(async () => new WholeResponse('hello\n', { status }));
  const { socket, heard } = running.client();
  const sent: [string, number][] = [
    ['HEAD', 200],
    ['GET', 204],
    ['GET', 304],
  ];
  for (const [index, [method, wanted]] of sent.entries()) {
    status = wanted;
    socket.write(`${method} / HTTP/1.1\r\nhost: x\r\n\r\n`);
    await until(() => answersIn(heard()) === index + 1 && heard().endsWith('\r\n\r\n'));
  }
  assert.doesNotMatch(heard(), /hello/);
});

test('a request that is not plain, or arrives in parts, is passed on with its connection, for good', async () => {
  await using running = await serving(hello);
  for (const parts of [[CLOSING], ['GET / HT', 'TP/1.1\r\nhost: x\r\n\r\n'], [PLAIN + PLAIN, PLAIN]]) {
    const { socket, heard } = running.client();
    socket.write(PLAIN);
    await until(() => heard().endsWith('hello\n'));
    for (const part of parts) {
      socket.write(part);
      await until(() => running.accepted.at(-1)?.bytesRead === socket.bytesWritten);
    }
    const wanted = parts.join('').split('GET').length;
    await until(() => answersIn(heard()) === wanted);
    assert.equal(heard().split('by Node').length, wanted, heard());
    socket.destroy();
  }
});

test('what arrives while a request is answered waits, and is answered after it', async () => {
  const order: string[] = [];
  const bothArrived = Promise.withResolvers<void>();
  let [atOnce, most] = [0, 0];
  await using running = await serving(async ({ url }) => {
    most = Math.max(most, (atOnce += 1));
    await bothArrived.promise;
    order.push(url);
    atOnce -= 1;
    return new WholeResponse('hello\n');
  });
  const { socket, heard } = running.client();
  socket.write('GET /1 HTTP/1.1\r\nhost: x\r\n\r\n');
  await until(() => atOnce === 1);
  socket.write('GET /2 HTTP/1.1\r\nhost: x\r\n\r\n');
  await until(() => running.accepted[0]?.bytesRead === socket.bytesWritten);
  bothArrived.resolve();
  await until(() => answersIn(heard()) === 2);
  assert.deepEqual([order, most], [['http://x/1', 'http://x/2'], 1]);
});

test('streams, long answers and headers of their own go through Node, and the connection stays', async () => {
  const long = 'x'.repeat(1024 * 1024);
  const answers = [
    new Response(new Blob(['a stream'])),
    new WholeResponse(long),
    new WholeResponse('dated', { headers: { date: 'today' } }),
    new WholeResponse('ä€'),
    new WholeResponse(new Uint8Array(100_000).fill(0x79)),
    new Response(null, { status: 404 }),
  ];
  let next = 0;
  await using running = await serving(async () => answers[(next += 1) - 1] ?? assert.fail());
  const { socket, heard } = running.client();
  for (let count = 1; count <= answers.length; count += 1) {
    socket.write(PLAIN);
    await until(() => answersIn(heard()) === count && !isBusy(heard()));
  }
  const text = heard();
  assert.ok(/transfer-encoding: chunked\r\n\r\n8\r\na stream\r\n0\r\n\r\n/i.test(text));
  assert.ok(text.includes(long) && text.includes(Buffer.from('ä€').toString('latin1')));
  assert.ok(text.includes('\r\ndate: today\r\n'));
  assert.ok(text.includes('y'.repeat(100_000)));
  assert.ok(text.includes(' 404 Not Found\r\n'));
});

/** True until the last answer is complete. */
function isBusy(text: string): boolean {
  const [head = '', body = ''] = text.slice(text.lastIndexOf('HTTP/1.1 ')).split('\r\n\r\n');
  if (/transfer-encoding: chunked/i.test(head)) return !text.endsWith('0\r\n\r\n');
  return body.length < Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
}

test('a long answer waits for a turn of the event loop of its own', async () => {
  const seen: string[] = [];
  let size = 1000;
  await using running = await serving(async () => {
    setImmediate(() => seen.push('the next turn'));
    return new WholeResponse('x'.repeat(size));
  });
  running.server.on('connection', (socket: Socket) => {
    const write = socket.write.bind(socket);
    const value = (...words: Parameters<Socket['write']>): boolean => {
      seen.push('sent');
      return write(...words);
    };
    Object.defineProperty(socket, 'write', { value });
  });
  const { socket, heard } = running.client();
  for (const [bytes, order] of [
    [1000, ['sent', 'the next turn']],
    [100_000, ['the next turn', 'sent']],
  ] as const) {
    size = bytes;
    seen.length = 0;
    socket.write(PLAIN);
    await until(() => heard().endsWith('x'.repeat(size)));
    assert.deepEqual(seen.slice(0, 2), order);
  }
});

test('a handler that throws is answered with 500 and reported, and no header can end its line', async () => {
  let next = 0;
  await using running = await serving(async () => {
    next += 1;
    if (next === 1) throw new Error('broken');
    return new WholeResponse('', { headers: { 'x-a': 'a\r\nx-b: c' } });
  });
  const { socket, heard } = running.client();
  for (const count of [1, 2]) {
    socket.write(PLAIN);
    await until(() => answersIn(heard()) === count);
  }
  assert.equal(heard().split('500 Internal Server Error').length, 3);
  assert.deepEqual(running.errors, ['http handler failed', 'http handler failed']);
  assert.doesNotMatch(heard(), /x-b/);
});

test('a stream that fails in the middle ends the connection, and is reported', async () => {
  const failing = new ReadableStream({
    start: (controller) => controller.enqueue(Buffer.from('some')),
    pull: (controller) => controller.error(new Error('the disk has failed')),
  });
  await using running = await serving(async () => new Response(failing));
  const { socket, heard } = running.client();
  socket.write(PLAIN);
  await once(socket, 'close');
  assert.doesNotMatch(heard(), /500|0\r\n\r\n$/);
  assert.deepEqual(running.errors, ['http handler failed']);
});

test('a Host that is more than a host is a bad request', async () => {
  await using running = await serving(() => assert.fail());
  const { socket, heard } = running.client();
  socket.write('GET / HTTP/1.1\r\nhost: a/b\r\n\r\n');
  await until(() => heard().includes('400 Bad Request'));
});

test('the signal aborts after the answer, and when the client disconnects', async () => {
  const contexts: HttpContext[] = [];
  await using running = await serving(async (_, context) => {
    contexts.push(context);
    assert.equal(context.signal.aborted, false);
    if (contexts.length === 2) await once(context.signal, 'abort');
    return new WholeResponse('hello\n');
  });
  const { socket, heard } = running.client();
  socket.write(PLAIN);
  await until(() => heard().endsWith('hello\n') && contexts[0]?.signal.aborted === true);
  socket.write(PLAIN);
  await until(() => contexts.length === 2);
  socket.destroy();
  await until(() => contexts[1]?.signal.aborted === true);
  assert.deepEqual(running.errors, []);
});

test('a connection without a first request, or with none for long, is closed, but not one that waits for an answer', async () => {
  await using running = await serving(
    async () => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      return new WholeResponse('hello\n');
    },
    { firstMs: 500, idleMs: 100 },
  );
  const silent = running.client();
  const used = running.client();
  used.socket.write(PLAIN);
  await Promise.all([once(silent.socket, 'close'), once(used.socket, 'close')]);
  assert.equal(silent.heard(), '');
  assert.match(used.heard(), /hello\n$/);
});

/** Sends a request whenever the server has begun to answer the one before: two together would be passed on to Node. */
function keepAsking(clients: readonly Socket[], begun: (client: Socket) => number): Disposable {
  const sent = new Map(clients.map((client) => [client, 0]));
  const asking = setInterval(() => {
    for (const [client, count] of sent)
      if (client.writable && !client.connecting && begun(client) === count) {
        client.write(PLAIN);
        sent.set(client, count + 1);
      }
  }, 2);
  return { [Symbol.dispose]: () => clearInterval(asking) };
}

for (const size of [60_000, 200_000])
  test(`a client that takes nothing of answers of ${size} bytes is counted, waits, and is cut off`, async () => {
    let begun = 0;
    await using running = await serving(
      async () => {
        begun += 1;
        return new WholeResponse(new Uint8Array(size));
      },
      { stalledMs: 300, held: new HeldBytes(64 * 1024 * 1024) },
    );
    const { socket } = running.client();
    using _ = keepAsking([socket.pause()], () => begun);
    await until(() => running.accepted[0]?.destroyed === true);
    assert.ok(begun < 100, `${begun} were answered`);
  });

test('memory for clients that take nothing has its limit', async () => {
  const held = new HeldBytes(1024 * 1024);
  const begun = new Map<number, number>();
  await using running = await serving(
    async (_, { peer }) => {
      begun.set(peer.port, (begun.get(peer.port) ?? 0) + 1);
      return new WholeResponse(new Uint8Array(250_000));
    },
    { held },
  );
  const clients = Array.from({ length: 40 }, () => running.client().socket.pause());
  using _ = keepAsking(clients, ({ localPort = 0 }) => begun.get(localPort) ?? 0);
  await until(() => held.cuts() > 3);
  assert.ok(held.bytes() <= 1024 * 1024 + 250_000);
  for (const socket of clients) socket.destroy();
  await until(() => held.bytes() === 0);
});

test('when the server closes, idle connections end at once and busy ones after their answer', async () => {
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await using running = await serving(async () => {
    asked.resolve();
    await answered.promise;
    return new WholeResponse('hello\n');
  });
  const [idle, busy] = [running.client(), running.client()];
  busy.socket.write(PLAIN);
  await asked.promise;
  await until(() => running.accepted.length === 2);
  running.plain.closeIdle();
  await once(idle.socket, 'close');
  assert.equal(busy.socket.destroyed, false);
  answered.resolve();
  await until(() => busy.heard().endsWith('hello\n'));
  running.plain.closeIdle();
  await once(busy.socket, 'close');
});

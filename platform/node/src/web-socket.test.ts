/** Requests that ask for an upgrade, over plain TCP, and with the WebSocket of Node. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { WebSocketResponse, type HttpHandler, type MessageSocket } from '@tinkerbell/platform-contract';
import { createNodeHttp } from './http.ts';
import { createNodeLog } from './log.ts';

const log = createNodeLog({ level: 'silent', format: 'json' });
const timeout = 20_000;

async function serving(serve: (socket: MessageSocket) => void = () => undefined) {
  const handler: HttpHandler = ({ url }) =>
    Promise.resolve(
      url.endsWith('/socket')
        ? new WebSocketResponse({ messageBytesMax: 1000 }, serve)
        : new Response('no entry\n', { status: 403 }),
    );
  return await createNodeHttp(log).listen({ port: 0, address: '127.0.0.1' }, handler);
}

/** Sends a request, and never closes its side. Resolves with all that the server sends until it closes. */
function sent(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    let answer = '';
    socket.on('data', (part: Buffer) => (answer += part.toString('latin1')));
    socket.on('error', reject);
    socket.on('end', () => resolve(answer));
    socket.write(text);
  });
}

const asking = (path: string, upgrade = 'websocket', method = 'GET'): string =>
  [
    `${method} ${path} HTTP/1.1`,
    'host: a',
    'connection: upgrade',
    `upgrade: ${upgrade}`,
    'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
    'sec-websocket-version: 13',
    '\r\n',
  ].join('\r\n');

test('a refused upgrade gets its answer, and the connection does not stay', { timeout }, async () => {
  const server = await serving();
  const answers = await Promise.all(Array.from({ length: 50 }, () => sent(server.local.port, asking('/'))));
  for (const answer of answers)
    assert.match(answer, /^HTTP\/1\.1 403 [^]*connection: close\r\n[^]*no entry\n/i);
  // It would wait for connections that are open.
  await server.close(60_000);
});

test('other upgrades and methods are answered as if nobody had asked', { timeout }, async () => {
  await using server = await serving();
  const { port } = server.local;
  const closing = (text: string): string => text.replace('host: a', 'host: a\r\nconnection: close');
  assert.match(await sent(port, closing(asking('/', 'h2c'))), /^HTTP\/1\.1 403 /);
  assert.match(await sent(port, closing(asking('/socket', 'websocket', 'PUT'))), /^HTTP\/1\.1 426 /);
  assert.match(
    await sent(port, closing(asking('/socket', 'h2c'))),
    /^HTTP\/1\.1 426 [^]*upgrade: websocket/i,
  );
});

test(
  'messages are handled one after another, long ones end it, and the server ends all',
  { timeout },
  async () => {
    const seen: string[] = [];
    const server = await serving((socket) =>
      socket.onMessage(async (bytes) => {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
        seen.push(Buffer.from(bytes).toString());
        socket.send(bytes);
      }),
    );
    const open = async (): Promise<WebSocket> => {
      const client = new WebSocket(`ws://127.0.0.1:${server.local.port}/socket`);
      await new Promise((resolve) => client.addEventListener('open', resolve));
      return client;
    };
    const closed = (client: WebSocket): Promise<number> =>
      new Promise((resolve) => client.addEventListener('close', ({ code }) => resolve(code)));
    const [one, other] = [await open(), await open()];
    const words = Array.from({ length: 40 }, (_, index) => `word ${index}`);
    for (const word of words) one.send(word);
    while (seen.length < words.length) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.deepEqual(seen, words);
    const tooLong = closed(one);
    one.send('x'.repeat(1001));
    assert.equal(await tooLong, 1009);
    const ended = closed(other);
    await server.close(60_000);
    assert.equal(await ended, 1006);
  },
);

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { readPlainRequest } from './plain-request.ts';

function read(text: string) {
  return readPlainRequest(Buffer.from(text, 'latin1'));
}

test('reads the parts of a request, with names and values as sent', () => {
  const text =
    'PATCH /a/b?c=%20d HTTP/1.1\r\nHost: server:7080\r\nX-One:  two \t\r\nX-one:\r\ncontent-length: 5\r\n\r\nhello';
  const request = read(text);
  assert.deepEqual(request && { ...request, body: String(request.body) }, {
    method: 'PATCH',
    target: '/a/b?c=%20d',
    host: 'server:7080',
    rawHeaders: ['Host', 'server:7080', 'X-One', 'two', 'X-one', '', 'content-length', '5'],
    body: 'hello',
  });
});

const HOST = 'Host: a\r\n';

for (const [what, text] of [
  ['nothing', ''],
  ['an incomplete head', `GET / HTTP/1.1\r\n${HOST}`],
  ['an incomplete body', `PUT / HTTP/1.1\r\n${HOST}Content-Length: 5\r\n\r\nhell`],
  ['two requests', `GET / HTTP/1.1\r\n${HOST}\r\n`.repeat(2)],
  ['a body without a length', `PUT / HTTP/1.1\r\n${HOST}\r\nhello`],
  ['an empty line before it', `\r\nGET / HTTP/1.1\r\n${HOST}\r\n`],
  ['HTTP/1.0', `GET / HTTP/1.0\r\n${HOST}\r\n`],
  ['another method', `CONNECT / HTTP/1.1\r\n${HOST}\r\n`],
  ['a target in absolute-form', `GET http://a/ HTTP/1.1\r\n${HOST}\r\n`],
  ['two spaces', `GET  / HTTP/1.1\r\n${HOST}\r\n`],
  ['a target that is not ASCII', `GET /\xe4 HTTP/1.1\r\n${HOST}\r\n`],
  ['lines without carriage returns', `GET / HTTP/1.1\nHost: a\n\r\n\r\n`],
  ['a line that continues another one', `GET / HTTP/1.1\r\n${HOST}X: a\r\n b\r\n\r\n`],
  ['a space before the colon', `GET / HTTP/1.1\r\n${HOST}X : a\r\n\r\n`],
  ['a header without a name', `GET / HTTP/1.1\r\n${HOST}: a\r\n\r\n`],
  ['a control character', `GET / HTTP/1.1\r\n${HOST}X: a\0\r\n\r\n`],
  ['no Host', 'GET / HTTP/1.1\r\nX: a\r\n\r\n'],
  ['two Hosts', `GET / HTTP/1.1\r\n${HOST}${HOST}\r\n`],
  ['two lengths', `PUT / HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-length: 1\r\n\r\na`],
  ['a signed length', `PUT / HTTP/1.1\r\n${HOST}Content-Length: +1\r\n\r\na`],
  ['a list of lengths', `PUT / HTTP/1.1\r\n${HOST}Content-Length: 1, 1\r\n\r\na`],
  ['chunks', `PUT / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n`],
  ['chunks and a length', `PUT / HTTP/1.1\r\n${HOST}Content-Length: 0\r\ntransfer-encoding: x\r\n\r\n`],
  ['a client that waits for 100', `PUT / HTTP/1.1\r\n${HOST}Expect: 100-continue\r\n\r\n`],
  ['another protocol', `GET / HTTP/1.1\r\n${HOST}Upgrade: h2c\r\n\r\n`],
  ['the last request of a connection', `GET / HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`],
  ['a list of options', `GET / HTTP/1.1\r\n${HOST}Connection: keep-alive, x\r\n\r\n`],
  ['a long head', `GET / HTTP/1.1\r\n${HOST}X: ${'a'.repeat(8192)}\r\n\r\n`],
] as const)
  test(`leaves to Node: ${what}`, () => assert.equal(read(text), undefined));

/** Pieces of requests, good and bad, in any order. */
const words = 'GET PUT get / /a?b * HTTP/1.1 HTTP/1.0 HTTP/1.01 : Host a " ( Content-Length:'.split(' ');
const fields = [
  'Host: a',
  'Content-Length: 1',
  'Content-Length: 0',
  'Connection: keep-alive',
  'Connection: close',
];
const others = [
  'Transfer-Encoding: chunked',
  'X: y',
  'x-\x80: \xff',
  ' ',
  '\t',
  '\r\n',
  '\n',
  '\r',
  '\0',
  '\x7f',
];
const piece = fc.constantFrom(...words, ...fields, ...others);
const good = [
  'GET / HTTP/1.1',
  '\r\n',
  'Host: a',
  '\r\n',
  'X: y',
  '\r\n',
  'Content-Length: 0',
  '\r\n',
  '\r\n',
];
const mutated = fc
  .array(fc.record({ at: fc.nat(good.length), drop: fc.nat(1), piece }), { maxLength: 3 })
  .map((changes) => {
    const parts = [...good];
    for (const change of changes) parts.splice(change.at, change.drop, change.piece);
    return parts.join('');
  });

test('what it reads, Node reads too, and understands as the same', async () => {
  const seen: {
    request: Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders' | 'headers'>;
    body: string;
  }[] = [];
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const part of request as AsyncIterable<Buffer>) pieces.push(part);
    seen.push({ request, body: Buffer.concat(pieces).toString('latin1') });
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(mutated, async (text) => {
      const plain = read(text);
      if (plain === undefined) return;
      accepted += 1;
      seen.length = 0;
      const socket = connect(port, '127.0.0.1');
      socket.end(text, 'latin1').resume();
      await once(socket, 'close');
      const [only, ...others] = seen;
      assert.deepEqual(others, [], JSON.stringify(text));
      assert.deepEqual(
        only && [
          only.request.method,
          only.request.url,
          only.request.rawHeaders,
          only.request.headers.host,
          only.body,
        ],
        [
          plain.method,
          plain.target,
          plain.rawHeaders,
          plain.host,
          Buffer.from(plain.body).toString('latin1'),
        ],
        JSON.stringify(text),
      );
    }),
    { numRuns: 3000 },
  );
  assert.ok(accepted > 100, `only ${accepted} were plain`);
  server.close();
});

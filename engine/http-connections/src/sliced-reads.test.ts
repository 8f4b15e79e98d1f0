import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { test } from 'node:test';
import fc from 'fast-check';
import { limitedServer } from './testing/limited-server.ts';

/** Answers with the body of the request. `delay` comes before each part of it. */
async function echo(delay?: () => Promise<void>) {
  let [parts, bytes, mostUnread] = [0, 0, 0];
  const server = await limitedServer(createServer(), async (incoming, outgoing) => {
    await pipeline(
      incoming,
      async function* (body: AsyncIterable<Buffer>) {
        for await (const part of body) {
          parts += 1;
          bytes += part.length;
          mostUnread = Math.max(mostUnread, incoming.socket.bytesRead - bytes * TINY.length);
          await delay?.();
          yield part;
        }
      },
      outgoing,
    ).catch(() => undefined);
  });
  return {
    ...server,
    parts: () => parts,
    /** For a body of tiny chunks. */
    mostUnread: () => mostUnread,
  };
}

const TINY = '1\r\na\r\n';
const HEAD = 'POST / HTTP/1.1\r\nHost: a\r\n';

function request(chunks: readonly string[], isWhole = false): string {
  const whole = chunks.join('');
  if (isWhole) return `${HEAD}Content-Length: ${whole.length}\r\n\r\n${whole}`;
  const coded = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('');
  return `${HEAD}Transfer-Encoding: chunked\r\n\r\n${coded}0\r\n\r\n`;
}

/** Sends the pieces, and returns the bodies of the answers when as many have arrived as the pieces have requests. */
async function answers(socket: Socket, pieces: readonly string[], count: number) {
  const bodies: string[] = [];
  let text = '';
  const done = new Promise<void>((resolve, reject) => {
    socket.setEncoding('latin1').on('data', (part: string) => {
      text += part;
      for (let body = bodyIn(text); body !== undefined; body = bodyIn(text)) {
        bodies.push(body.content);
        text = text.slice(body.end);
      }
      if (bodies.length === count) resolve();
    });
    socket.once('close', () => reject(new Error(`closed after ${bodies.length} answers: ${text}`)));
  });
  for (const piece of pieces) {
    socket.write(piece, 'latin1');
    await new Promise(setImmediate);
  }
  await done;
  return bodies;
}

/** Of a response with `Transfer-Encoding: chunked`, if all of it is there. */
function bodyIn(text: string): { readonly content: string; readonly end: number } | undefined {
  let at = text.indexOf('\r\n\r\n') + 4;
  if (at < 4) return undefined;
  assert.match(text, /^HTTP\/1.1 200 OK\r\n/);
  for (let content = ''; ;) {
    const lineEnd = text.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const length = Number.parseInt(text.slice(at, lineEnd), 16);
    const end = lineEnd + 2 + length + 2;
    if (text.length < end) return undefined;
    content += text.slice(lineEnd + 2, end - 2);
    at = end;
    if (length === 0) return { content, end };
  }
}

test('bodies in chunks arrive whole, however they are cut, and one after the other', async () => {
  await using server = await echo();
  const chunk = fc.oneof(
    fc.string({ minLength: 1, maxLength: 5, unit: 'binary-ascii' }),
    fc.integer({ min: 1, max: 30_000 }).map((length) => 'x'.repeat(length)),
  );
  const body = fc.oneof(
    fc.array(chunk, { minLength: 1, maxLength: 8 }),
    fc.integer({ min: 1, max: 20_000 }).map((count) => Array<string>(count).fill('y')),
  );
  const cut = fc.integer({ min: 200, max: 100_000 });
  await fc.assert(
    fc.asyncProperty(fc.array(body, { minLength: 1, maxLength: 5 }), cut, async (bodies, size) => {
      const all = bodies.map((chunks, index) => request(chunks, index % 2 === 1)).join('');
      const pieces: string[] = [];
      for (let at = 0; at < all.length; at += size) pieces.push(all.slice(at, at + size));
      const socket = server.socket();
      assert.deepEqual(
        await answers(socket, pieces, bodies.length),
        bodies.map((chunks) => chunks.join('')),
      );
      socket.destroy();
    }),
    { numRuns: 60 },
  );
});

test('the reader of thousands of chunks gets a few', async () => {
  await using server = await echo();
  const socket = server.socket();
  const chunks = Array<string>(50_000).fill('a');
  assert.deepEqual(await answers(socket, [request(chunks)], 1), [chunks.join('')]);
  assert.ok(server.parts() < 500, `${server.parts()} parts`);
  socket.destroy();
});

test('packets of chunks are parsed in several turns of the event loop', async () => {
  await using server = await echo();
  const socket = server.socket();
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  const answered = answers(socket, [request(Array<string>(50_000).fill('a'))], 1);
  count();
  await answered;
  isOver = true;
  assert.ok(turns > 10, `${turns} turns`);
  socket.destroy();
});

test('a client that sends faster than its chunks are parsed is not read without end', async () => {
  await using server = await echo();
  const socket = server.socket();
  const body = 'a'.repeat(2_000_000);
  const sent = `${HEAD}Transfer-Encoding: chunked\r\n\r\n${TINY.repeat(body.length)}0\r\n\r\n`;
  assert.deepEqual(await answers(socket, [sent], 1), [body]);
  assert.ok(server.mostUnread() < 500_000, `${server.mostUnread()} bytes`);
  socket.destroy();
});

test('a client whose body nobody takes is not read without end', async () => {
  let next = (): void => undefined;
  await using server = await echo(() => new Promise((resolve) => void (next = resolve)));
  const socket = server.socket();
  const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
  socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
  for (let count = 0; count < 4000; count += 1) socket.write(chunk);
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.ok(socket.writableLength > 30_000_000, `${socket.writableLength} of 64 MB are still at the client`);
  next();
  socket.destroy();
});

test('a fault within a body with chunks is refused', async () => {
  await using server = await echo();
  const socket = server.socket();
  let text = '';
  socket.setEncoding('latin1').on('data', (part: string) => void (text += part));
  socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n1\r\na\r\nno length\r\n`);
  await once(socket, 'close');
  assert.match(text, /^HTTP\/1.1 400 Bad Request\r\n/);
});

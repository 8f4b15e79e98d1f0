/**
 * What hostile clients do. None has a credential. Each act takes one connection, and ends when the server closes it or when the act is
 * over. The pace is that of clients on a network, not as fast as this machine can send.
 */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { encodeFields } from '@tinkerbell/http2';
import { frame, number, PREFACE } from '@tinkerbell/http2/testing';

export interface HostileKind {
  readonly name: string;
  /** The listener that it attacks: one of HTTP/1.1, of HTTP/2 without TLS, or of TLS. */
  readonly port: 'http' | 'http2' | 'tls';
  readonly act: (socket: Socket) => Promise<void>;
}

const ACT_MS = 20_000;
const SLOW_MS = 200;
/** More than the buffers of a connection hold. */
const LARGE_FILE = '/images/large.img';
const PIPELINED = 50;
const FRAMES = 1000;
const TINY_CHUNKS = 2000;
const GARBAGE_BYTES = 64 * 1024;

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const post = (fields: string): string => `POST /phone-home HTTP/1.1\r\nHost: a\r\n${fields}\r\n\r\n`;
const call = encodeFields([
  [':method', 'POST'],
  [':scheme', 'http'],
  [':authority', 'a'],
  [':path', '/proto.WorkflowService/GetAction'],
  ['content-type', 'application/grpc'],
]);

/** A connection with the start of HTTP/2, and a thousand times the frame for the next stream. */
function flood(frameOf: (streamId: number) => Uint8Array): HostileKind['act'] {
  return async (socket) => {
    socket.resume();
    const frames = Array.from({ length: FRAMES }, (_, index) => frameOf(2 * index + 1));
    socket.write(Buffer.concat([Buffer.from(PREFACE), frame(4, 0, 0, new Uint8Array(0)), ...frames]));
    await delay(1000);
  };
}

/** Writes `start`, and then `more` again and again for as long as the server accepts it. */
function drip(start: string, more: string): HostileKind['act'] {
  return async (socket) => {
    socket.resume().write(start);
    for (let left = ACT_MS / SLOW_MS; left > 0 && !socket.destroyed; left -= 1) {
      await delay(SLOW_MS);
      socket.write(more);
    }
  };
}

/** Requests more than it ever reads. */
async function readNothing(socket: Socket): Promise<void> {
  socket.pause().write(get(LARGE_FILE).repeat(PIPELINED));
  await Promise.race([once(socket, 'close'), delay(ACT_MS)]);
}

async function readSlowly(socket: Socket): Promise<void> {
  socket.pause().write(get(LARGE_FILE));
  for (let left = ACT_MS / SLOW_MS; left > 0 && !socket.destroyed; left -= 1) {
    await delay(SLOW_MS);
    socket.read();
  }
}

/** One write, whose answers are all read. */
function atOnce(text: string, thenMs = 1000): HostileKind['act'] {
  return async (socket) => {
    socket.resume().write(text, 'latin1');
    await delay(thenMs);
  };
}

/** Many of them reach the server at the same time, because it ends them together. */
async function reset(socket: Socket): Promise<void> {
  socket.write(post('Content-Length: 100'));
  await delay(SLOW_MS / 2);
  socket.resetAndDestroy();
}

const garbage = Array.from({ length: GARBAGE_BYTES }, (_, at) => String.fromCharCode((at * 193) % 251)).join(
  '',
);
const chunks = `${post('Transfer-Encoding: chunked')}${'1\r\na\r\n'.repeat(TINY_CHUNKS)}`;

export const hostileKinds: readonly HostileKind[] = [
  { name: 'a head without an end', port: 'http', act: drip('GET / HTTP/1.1\r\nHost: a\r\n', 'A: b\r\n') },
  { name: 'a body without an end', port: 'http', act: drip(post('Content-Length: 1000000'), 'a') },
  { name: 'readers of nothing', port: 'http', act: readNothing },
  { name: 'slow readers', port: 'http', act: readSlowly },
  { name: 'tiny chunks', port: 'http', act: atOnce(chunks) },
  { name: 'pipelined requests', port: 'http', act: atOnce(get('/2009-04-04/meta-data').repeat(PIPELINED)) },
  { name: 'guessed paths', port: 'http', act: atOnce(get(`/${'a/'.repeat(1000)}`).repeat(PIPELINED)) },
  { name: 'bytes that are no HTTP', port: 'http', act: atOnce(garbage, SLOW_MS) },
  { name: 'lost connections', port: 'http', act: reset },
  { name: 'bytes that are no TLS', port: 'tls', act: atOnce(garbage, SLOW_MS) },
  { name: 'pings', port: 'http2', act: flood(() => frame(6, 0, 0, new Uint8Array(8))) },
  { name: 'settings', port: 'http2', act: flood(() => frame(4, 0, 0, new Uint8Array(0))) },
  {
    name: 'resets',
    port: 'http2',
    act: flood((id) => Buffer.concat([frame(1, 4, id, call), frame(3, 0, id, number(8))])),
  },
  {
    name: 'calls without a message',
    port: 'http2',
    act: flood((id) => Buffer.concat([frame(1, 4, id, call), frame(0, 1, id, new Uint8Array(0))])),
  },
  { name: 'endless headers', port: 'http2', act: flood((id) => frame(id === 1 ? 1 : 9, 0, 1, call)) },
];

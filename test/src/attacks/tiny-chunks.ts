/** Sends bodies in thousands of chunks, frames or messages of a few bytes. A tiny one costs as much as a large one. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { encodeFields } from '@tinkerbell/http2';
import { frame, PREFACE } from '@tinkerbell/http2/testing';
import type { SeededChoice } from '../seeded-choice.ts';
import type { Attack } from './attack.ts';
import { CALL_PATHS } from './http2-frames.ts';

const BYTES_MAX = 1024 * 1024;
const WAIT_MS_MAX = 500;

const places: readonly string[] = [
  '/phone-home',
  '/v1/registry/peers',
  '/apis/authentication.k8s.io/v1/selfsubjectreviews',
  '/apis/tinkerbell.org/v1alpha1/namespaces/lab/hardware',
  '/no/such/place',
];

export const tinyChunks: Attack = {
  name: 'tiny-chunks',
  sends: 'body',
  async once({ url, gatewayUrl, agentPort }, choice) {
    const isHttp2 = choice.once(2);
    const [server, gateway] = [Number(new URL(url).port), Number(new URL(gatewayUrl).port)];
    const port = choice.of([isHttp2 ? agentPort : server, gateway]);
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    const closed = once(socket, 'close').catch(() => undefined);
    await (isHttp2 ? sendFrames(socket, choice) : sendChunks(socket, choice));
    socket.resume();
    await Promise.race([closed, delay(choice.below(WAIT_MS_MAX))]);
    socket.destroy();
  },
};

async function sendChunks(socket: Socket, choice: SeededChoice): Promise<void> {
  const head = `${choice.of(['POST', 'PUT', 'DELETE'])} ${choice.of(places)} HTTP/1.1\r\nHost: 127.0.0.1\r\n`;
  const fields = `Content-Type: ${choice.of(['application/json', 'application/yaml', 'a/b'])}\r\n`;
  socket.write(`${head}${fields}Transfer-Encoding: chunked\r\n\r\n`);
  // With the head, or when the server has begun to read.
  if (choice.once(2)) await delay(choice.below(20));
  socket.write(chunks(choice));
  if (choice.once(3)) socket.write('0\r\n\r\n');
}

async function sendFrames(socket: Socket, choice: SeededChoice): Promise<void> {
  const isCall = choice.once(2);
  const fields = encodeFields([
    [':method', 'POST'],
    [':scheme', 'http'],
    [':authority', '127.0.0.1'],
    [':path', choice.of(isCall ? CALL_PATHS : places)],
    ['content-type', isCall ? 'application/grpc' : 'application/json'],
  ]);
  socket.write(
    Buffer.concat([Buffer.from(PREFACE), frame(4, 0, 0, Buffer.alloc(0)), frame(1, 4, 1, fields)]),
  );
  if (choice.once(2)) await delay(choice.below(20));
  // An empty message has five bytes, and no frame needs to hold a whole one.
  const content = Buffer.alloc(choice.of([0, 1, 5, 50]));
  const one = frame(0, 0, 1, content);
  socket.write(Buffer.concat(Array<Buffer>(1 + Math.floor(choice.below(BYTES_MAX) / one.length)).fill(one)));
  // Messages within one frame.
  for (let count = choice.below(8); count > 0; count -= 1) socket.write(frame(0, 0, 1, Buffer.alloc(16_384)));
}

function chunks(choice: SeededChoice): string {
  const content = choice.of(['a', ' ', '[', '"', '1,']);
  const length = 1 + choice.below(choice.of([2, 100]));
  const extension = choice.of(['', '', ';a=b']);
  const one = `${(content.length * length).toString(16)}${extension}\r\n${content.repeat(length)}\r\n`;
  return one.repeat(1 + Math.floor(choice.below(BYTES_MAX) / one.length));
}

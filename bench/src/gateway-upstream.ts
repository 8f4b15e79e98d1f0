/**
 * The backend of the gateways: gRPC that answers at once over h2c, and HTTP/1.1 with a small and a large
 * answer. Arguments: both ports.
 */
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';

import { encodeFields } from '@tinkerbell/http2';

import { DATA, FrameSocket, RST_STREAM } from './frame-socket.ts';

const [grpcPort, httpPort] = process.argv.slice(2).map(Number);
/** More than the kernel keeps for a connection. */
const LARGE_BYTES = 16 * 1024 ** 2;
const NOTHING = Buffer.alloc(0);
const PART = Buffer.alloc(64 * 1024);

/** Without a dynamic table, so that a block needs no connection. */
const ANSWER = encodeFields([
  [':status', '200'],
  ['content-type', 'application/grpc'],
]);
const TRAILERS = encodeFields([['grpc-status', '0']]);

const grpc = createTcpServer((socket) => {
  const bodies = new Map<number, Buffer>();
  const frames = new FrameSocket(socket, 'server', ({ stream, type, isLast, payload }) => {
    if (type === DATA) bodies.set(stream, Buffer.concat([bodies.get(stream) ?? NOTHING, payload]));
    if (type === RST_STREAM) bodies.delete(stream);
    if (!isLast) return;
    frames.sendFields(stream, ANSWER, false);
    frames.sendData(stream, bodies.get(stream) ?? NOTHING, false);
    frames.sendFields(stream, TRAILERS, true);
    bodies.delete(stream);
  });
});
grpc.listen(grpcPort, '127.0.0.1');

const http = createServer((request, response) => {
  if (request.url !== '/large') return void response.end('in\n');
  response.writeHead(200, { 'content-length': String(LARGE_BYTES) });
  const send = (left: number): void => {
    if (left > 0) response.write(PART, (error) => error ?? send(left - PART.length));
    else response.end();
  };
  return send(LARGE_BYTES);
});
http.listen(httpPort, '127.0.0.1');

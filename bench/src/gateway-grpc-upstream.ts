/** The backend of the gateways for gRPC over h2c: answers each call at once with its own message. Argument: the port. */
import { createServer } from 'node:net';

import { encodeFields } from '@tinkerbell/http2';

import { DATA, FrameSocket, RST_STREAM } from './frame-socket.ts';

const NOTHING = Buffer.alloc(0);
/** Without a dynamic table, so that a block needs no connection. */
const ANSWER = encodeFields([
  [':status', '200'],
  ['content-type', 'application/grpc'],
]);
const TRAILERS = encodeFields([['grpc-status', '0']]);

const server = createServer((socket) => {
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
server.listen(Number(process.argv[2]), '127.0.0.1');

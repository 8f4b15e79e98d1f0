/** What Node adds to a connection of HTTP/2, which knows no sockets. */
import type { Socket } from 'node:net';
import { TextPool, type ConnectionLimits, type ConnectionOptions } from '@tinkerbell/http2';
import { backlog } from './backlog.ts';

const NO_BYTES = new Uint8Array(0);

/** The options for all connections of one side. */
export function http2Options(
  limits: Partial<ConnectionLimits> = {},
  nowMs = (): number => performance.now(),
): ConnectionOptions {
  return {
    pool: new TextPool(),
    allocate: (bytes) => Buffer.allocUnsafe(bytes),
    decodeText: ({ buffer, byteOffset, length }) =>
      Buffer.from(buffer, byteOffset, length).toString('latin1'),
    nowMs,
    limits,
  };
}

/** The connection takes the rest of what it has received later, before anything else is read. */
export function receiveLater(socket: Socket, connection: { receive(bytes: Uint8Array): void }): void {
  socket.pause();
  backlog.add(() => {
    socket.resume();
    connection.receive(NO_BYTES);
  });
}

/**
 * Calls `receive` with what arrives. What Node need not buffer skips its stream, whose event 'data' costs a gateway one part in thirty of a call:
 * after each it asks in the next tick for more, though the socket is read anyway.
 */
export function receiveFrom(socket: Socket, receive: (bytes: Uint8Array) => void): void {
  const push = socket.push.bind(socket);
  socket.push = (chunk: unknown, encoding) => {
    const mustWait = socket.readableFlowing !== true || socket.readableLength > 0;
    if (mustWait || !(chunk instanceof Uint8Array)) return push(chunk, encoding);
    receive(chunk);
    return true;
  };
  socket.on('data', receive);
}

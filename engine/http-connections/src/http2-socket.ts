/** What Node adds to a connection of HTTP/2, which knows no sockets. */
import type { Socket } from 'node:net';
import { TextPool, type ConnectionLimits, type ConnectionOptions } from '@tinkerbell/http2';

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

/** The connection takes the rest of what it has received in a later turn of the event loop, before anything else is read. */
export function receiveLater(socket: Socket, connection: { receive(bytes: Uint8Array): void }): void {
  socket.pause();
  setImmediate(() => {
    socket.resume();
    connection.receive(NO_BYTES);
  });
}

import type { IncomingMessage } from 'node:http';
import { destroyAfter } from '@tinkerbell/engine-http-connections';
import { releasePiece } from '@tinkerbell/platform-contract';

/** The time that a client has to take the response, and the number of bytes read and dropped meanwhile. */
const LINGER_MS = 2000;
const DROPPED_BYTES_MAX = 16 * 1024 * 1024;
const LOOK_MS = 20;

/**
 * For a response that is sent before the whole body arrived. Closing a connection with unread bytes resets it, and a client that
 * is still sending sees the reset instead of the response. So the connection is half-closed after the response, incoming bytes
 * are dropped, and it is closed when the client has finished too, or after two seconds (like nginx' lingering_close).
 */
export function closeLingering(incoming: IncomingMessage): void {
  const { socket } = incoming;
  // The function that node:http calls after a response with `connection: close`.
  socket.destroySoon = () => {
    if (socket.destroyed) return;
    socket.end();
    // The parser still holds a piece while it is passed on.
    incoming.on('data', (piece: Buffer) => queueMicrotask(() => releasePiece(piece)));
    const before = socket.bytesRead;
    const look = setInterval(() => {
      if (socket.bytesRead - before > DROPPED_BYTES_MAX) socket.pause();
    }, LOOK_MS).unref();
    socket.once('close', () => clearInterval(look));
    destroyAfter(socket, LINGER_MS);
  };
}

import type { IncomingMessage } from 'node:http';

/** How long a client has to take the answer, and how much of what it sends meanwhile is read and dropped. */
const LINGER_MS = 2000;
const DROPPED_BYTES_MAX = 16 * 1024 * 1024;
const LOOK_MS = 20;

/**
 * For an answer that comes before the whole body did. A connection that is closed with bytes unread is reset, and the client, still
 * sending, hears of the reset and not of the answer. So it is ended after the answer, what comes is dropped, and it is closed when
 * the client has ended too, or after two seconds (as nginx' lingering_close).
 */
export function closeLingering(incoming: IncomingMessage): void {
  const { socket } = incoming;
  // What node:http calls after an answer with `connection: close`.
  socket.destroySoon = () => {
    if (socket.destroyed) return;
    socket.end();
    incoming.resume();
    const before = socket.bytesRead;
    const look = setInterval(() => {
      if (socket.bytesRead - before > DROPPED_BYTES_MAX) socket.pause();
    }, LOOK_MS).unref();
    const end = setTimeout(() => socket.destroy(), LINGER_MS).unref();
    socket.once('close', () => {
      clearInterval(look);
      clearTimeout(end);
    });
  };
}

import type { Duplex } from 'node:stream';

/** The time for the last bytes of a connection that has ended. A client that stays connected would cost a socket. */
export function destroyAfter(socket: Duplex, delayMs: number): void {
  const timer = setTimeout(() => socket.destroy(), delayMs).unref();
  socket.once('close', () => clearTimeout(timer));
}

import type { ServerResponse } from 'node:http';

/** A client that takes no chunk in this time is gone, or tries to hold the server's memory. */
export const STALLED_MS = 120_000;

/**
 * Resolves when the kernel has the bytes. Closes the connection when the kernel has not taken them in time. Node silently keeps
 * data written to a connection that has just broken. Then the end of the response settles the promise.
 */
export function written(
  outgoing: ServerResponse,
  chunk: Uint8Array,
  stalledMs: number = STALLED_MS,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (outgoing.closed) {
      reject(gone());
      return;
    }
    const settle = (error?: Error | null): void => {
      clearTimeout(stalled);
      outgoing.off('close', onClose);
      if (error) reject(error);
      else resolve();
    };
    const onClose = (): void => settle(gone());
    const stalled = setTimeout(() => outgoing.destroy(new Error('the client reads nothing')), stalledMs);
    outgoing.once('close', onClose);
    // Otherwise Node writes at the end of the turn, when the chunks of other clients have taken its place in the processor's caches.
    outgoing.socket?.cork();
    outgoing.write(chunk, settle);
    outgoing.socket?.uncork();
  });
}

function gone(): Error {
  return new Error('the client has disconnected');
}

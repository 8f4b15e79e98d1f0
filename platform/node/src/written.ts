import type { ServerResponse } from 'node:http';

/** A client that takes not one chunk in this time is gone, or wants to keep our memory. */
export const STALLED_MS = 120_000;

/**
 * Resolves when the kernel has the bytes. Ends the connection when it has not taken them in time. Node keeps what is written to a
 * connection that has just broken, and tells nobody: then the end of the answer does.
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
    outgoing.write(chunk, settle);
  });
}

function gone(): Error {
  return new Error('the client has gone');
}

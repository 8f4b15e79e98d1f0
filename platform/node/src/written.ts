import type { ServerResponse } from 'node:http';

/** A client that takes not one chunk in this time is gone, or wants to keep our memory. */
export const STALLED_MS = 120_000;

/** Resolves when the kernel has the bytes. Ends the connection when it has not taken them in time. */
export function written(
  outgoing: ServerResponse,
  chunk: Uint8Array,
  stalledMs: number = STALLED_MS,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const stalled = setTimeout(() => outgoing.destroy(new Error('the client reads nothing')), stalledMs);
    outgoing.write(chunk, (error) => {
      clearTimeout(stalled);
      if (error) reject(error);
      else resolve();
    });
  });
}

import type { ServerResponse } from 'node:http';

/** A client that takes no chunk in this time is gone, or tries to hold the server's memory. */
export const STALLED_MS = 120_000;

/**
 * Writes the body of a response, one chunk at a time. What it needs to notice a client that is gone or takes nothing is made once for all
 * chunks. Dispose of it at the end.
 */
export class ChunkWriter implements Disposable {
  readonly #outgoing: ServerResponse;
  readonly #stalledMs: number;
  readonly #onClose = (): void => this.#settle(gone());
  readonly #onWritten = (error?: Error | null): void => this.#settle(error ?? undefined);
  #writing: PromiseWithResolvers<void> | undefined;
  #stalled: ReturnType<typeof setTimeout> | undefined;

  constructor(outgoing: ServerResponse, stalledMs: number = STALLED_MS) {
    this.#outgoing = outgoing;
    this.#stalledMs = stalledMs;
    outgoing.once('close', this.#onClose);
  }

  /**
   * Resolves when the kernel has the bytes. Closes the connection when the kernel has not taken them in time. Node silently keeps
   * data written to a connection that has just broken. Then the end of the response settles the promise.
   */
  write(chunk: Uint8Array): Promise<void> {
    const outgoing = this.#outgoing;
    if (outgoing.closed) return Promise.reject(gone());
    const writing = Promise.withResolvers<void>();
    this.#writing = writing;
    this.#watch();
    // Otherwise Node writes at the end of the turn, when the chunks of other clients have taken its place in the processor's caches.
    outgoing.socket?.cork();
    outgoing.write(chunk, this.#onWritten);
    outgoing.socket?.uncork();
    return writing.promise;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#stalled);
    this.#outgoing.off('close', this.#onClose);
  }

  #watch(): void {
    if (this.#stalled === undefined) this.#stalled = setTimeout(() => this.#endIfStalled(), this.#stalledMs);
    else this.#stalled.refresh();
  }

  /** Between two chunks the client is not to blame. */
  #endIfStalled(): void {
    if (this.#writing !== undefined) this.#outgoing.destroy(new Error('the client reads nothing'));
  }

  #settle(error: Error | undefined): void {
    const writing = this.#writing;
    this.#writing = undefined;
    if (error === undefined) writing?.resolve();
    else writing?.reject(error);
  }
}

function gone(): Error {
  return new Error('the client has disconnected');
}

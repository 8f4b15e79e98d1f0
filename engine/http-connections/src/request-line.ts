import type { ServerResponse } from 'node:http';

/** Requests of one connection that may wait for earlier ones. The package manager of Debian sends 10 at once. */
export const PIPELINED_MAX = 12;

/** The requests of a connection that wait for earlier ones. */
export class RequestLine {
  readonly #waiting = new Set<(hasTurn: boolean) => void>();
  /** The parser has stopped at a request that had no room. */
  hasEnded = false;

  get isFull(): boolean {
    return this.#waiting.size >= PIPELINED_MAX;
  }

  wait(outgoing: ServerResponse): Promise<boolean> {
    return new Promise((resolve) => {
      this.#waiting.add(resolve);
      outgoing.once('socket', () => {
        this.#waiting.delete(resolve);
        if (this.hasEnded && this.#waiting.size === 0) outgoing.shouldKeepAlive = false;
        // Not in the callback that ended the one before: all of a packet would run in it.
        setImmediate(resolve, true);
      });
    });
  }

  leave(): void {
    // Each in a callback of its own, because several of them may take long together.
    for (const resolve of this.#waiting) setImmediate(resolve, false);
    this.#waiting.clear();
  }
}

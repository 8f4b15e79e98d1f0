/** How fast an agent may send chunks to others, on the clock of the caller. */

/** A slow link of the agent is used for others too. */
const RATE_MIN_BYTES_PER_S = 10 * 1000 * 1000;
/** What arrived in this time says how fast the agent receives. */
const WINDOW_MS = 2000;

/** An agent sends at most as fast as it receives, so that it helps in proportion to what it gets. */
export class SendBudget {
  #window = { startMs: Number.NEGATIVE_INFINITY, bytes: 0 };
  #receivedPerS = 0;
  #freeMs = Number.NEGATIVE_INFINITY;

  received(bytes: number, nowMs: number): void {
    const passedMs = nowMs - this.#window.startMs;
    if (passedMs >= WINDOW_MS) {
      this.#receivedPerS = Number.isFinite(passedMs) ? (this.#window.bytes * 1000) / passedMs : 0;
      this.#window = { startMs: nowMs, bytes: 0 };
    }
    this.#window.bytes += bytes;
  }

  /** Reserves the bytes, and returns how long to wait before they are sent. */
  waitMs(bytes: number, nowMs: number): number {
    const startMs = Math.max(nowMs, this.#freeMs);
    const rate = Math.max(RATE_MIN_BYTES_PER_S, this.#receivedPerS);
    this.#freeMs = startMs + (bytes * 1000) / rate;
    return startMs - nowMs;
  }
}

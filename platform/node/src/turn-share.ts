/**
 * Limits how much of one turn of the event loop the requests of that turn may take together. The rest waits for later turns, so
 * that hundreds of simultaneous clients do not delay packets and timers.
 */
const SHARE_MS = 2;

export interface TurnTimers {
  nowMs(): number;
  /** Calls back in the next turn of the event loop. */
  nextTurn(callback: () => void): void;
  /** Calls back in this turn, after all microtasks. */
  afterOthers(callback: () => void): void;
}

export class TurnShare {
  readonly #timers: TurnTimers;
  readonly #waiting: (() => void)[] = [];
  /** Undefined before the first use in a turn. */
  #untilMs: number | undefined;

  constructor(timers: TurnTimers = nodeTimers) {
    this.#timers = timers;
  }

  /**
   * Returns undefined when the work may start now. Otherwise returns a promise that resolves when it may. First come, first
   * served.
   */
  enter(): Promise<void> | undefined {
    const nowMs = this.#timers.nowMs();
    if (this.#untilMs === undefined) this.#begin(nowMs);
    else if (this.#waiting.length > 0 || nowMs >= this.#untilMs)
      return new Promise((resolve) => void this.#waiting.push(resolve));
    return undefined;
  }

  #begin(nowMs: number): void {
    this.#untilMs = nowMs + SHARE_MS;
    this.#timers.nextTurn(() => {
      this.#untilMs = undefined;
      if (this.#waiting.length === 0) return;
      this.#begin(this.#timers.nowMs());
      this.#admit();
    });
  }

  /** Requests run one after the other, because the time each takes is known only afterwards. */
  #admit(): void {
    if (this.#timers.nowMs() >= (this.#untilMs ?? 0)) return;
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) this.#timers.afterOthers(() => this.#admit());
  }
}

const nodeTimers: TurnTimers = {
  nowMs: () => performance.now(),
  nextTurn: (callback) => void setImmediate(callback),
  // Ticks that microtasks request run after all microtasks.
  afterOthers: (callback) => queueMicrotask(() => process.nextTick(callback)),
};

/** The share of all HTTP ports of the process, because they use the same event loop. */
export const turnShare = new TurnShare();

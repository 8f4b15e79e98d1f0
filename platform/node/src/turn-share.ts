/**
 * How much of one turn of the event loop the requests that arrived with it may take together. The rest waits for the next turns, so
 * that hundreds of clients at the same moment do not keep packets and timers waiting.
 */
const SHARE_MS = 3;

export interface TurnTimers {
  nowMs(): number;
  /** Calls back in the next turn of the event loop. */
  nextTurn(callback: () => void): void;
  /** Calls back in this turn, after everything that can go on without waiting. */
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

  /** Undefined when the work may begin now; else resolves when it may. First come, first served. */
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

  /** One after the other: how long each takes is known only afterwards. */
  #admit(): void {
    if (this.#timers.nowMs() >= (this.#untilMs ?? 0)) return;
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) this.#timers.afterOthers(() => this.#admit());
  }
}

const nodeTimers: TurnTimers = {
  nowMs: () => performance.now(),
  nextTurn: (callback) => void setImmediate(callback),
  // Ticks that microtasks ask for run when all microtasks are done.
  afterOthers: (callback) => queueMicrotask(() => process.nextTick(callback)),
};

/** Of all HTTP ports of the process: they share its event loop. */
export const turnShare = new TurnShare();

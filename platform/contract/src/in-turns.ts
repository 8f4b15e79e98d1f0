/**
 * Runs work that pauses itself, spread over turns of the event loop. All such work together takes a few milliseconds of a turn.
 * The rest is left for packets, timers and other requests. Waiting work continues round robin, one slice each.
 */

/** The time in one turn of the event loop for work that resumes after a pause. As much is for work that starts while nothing else waits. */
const TURN_MS = 0.5;
/** The time slice of one work item before another waiting one continues. */
const SLICE_MS = 0.25;

export interface TurnClock {
  nowMs(): number;
  /** Calls back after everything else that waits for the event loop. */
  later(callback: () => void): void;
}

/** Does one piece of the work. After the last piece, returns how to tell the caller. */
type Piece = () => (() => void) | undefined;

export class Turns {
  readonly #clock: TurnClock;
  readonly #waiting: Piece[] = [];
  /** What is left of the share of this turn for work that starts. Undefined before the first use in a turn. */
  #beginLeftMs: number | undefined;

  constructor(clock: TurnClock) {
    this.#clock = clock;
  }

  /** Resolves with what the work returns, and rejects with what it throws. Short work completes at once. */
  run<Result>(work: Generator<unknown, Result>): Promise<Result> {
    if (this.#waiting.length > 0) return this.#later(work);
    let nowMs = this.#clock.nowMs();
    const untilMs = nowMs + this.#share();
    try {
      for (; nowMs < untilMs; nowMs = this.#clock.nowMs()) {
        const next = work.next();
        if (next.done === true) return Promise.resolve(next.value);
      }
    } catch (error) {
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- It is what the work has thrown.
      return Promise.reject(error);
    } finally {
      // Only the work counts. What its callers do beside it would otherwise delay the work of others.
      this.#beginLeftMs = untilMs - this.#clock.nowMs();
    }
    return this.#later(work);
  }

  #later<Result>(work: Generator<unknown, Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const piece: Piece = () => {
        try {
          const next = work.next();
          return next.done === true ? () => resolve(next.value) : undefined;
        } catch (error) {
          return () => reject(error);
        }
      };
      this.#waiting.push(piece);
    });
  }

  /** Returns how long work may still start in this turn. The first use requests the next turn. */
  #share(): number {
    if (this.#beginLeftMs === undefined) {
      this.#beginLeftMs = TURN_MS;
      this.#clock.later(() => this.#goOn());
    }
    return this.#beginLeftMs;
  }

  /** Works until the time is up. Returns how to tell the caller when all work is done. */
  #worked(piece: Piece, untilMs: number): (() => void) | undefined {
    while (this.#clock.nowMs() < untilMs) {
      const end = piece();
      if (end !== undefined) return end;
    }
    return undefined;
  }

  /** Each caller continues in a callback of its own, because several of them may take long together. */
  #goOn(): void {
    this.#beginLeftMs = undefined;
    const startedMs = this.#clock.nowMs();
    for (let nowMs = startedMs; nowMs < startedMs + TURN_MS; nowMs = this.#clock.nowMs()) {
      const piece = this.#waiting.shift();
      if (piece === undefined) return;
      const end = this.#worked(piece, nowMs + SLICE_MS);
      if (end === undefined) this.#waiting.push(piece);
      else this.#clock.later(end);
    }
    if (this.#waiting.length > 0) this.#share();
  }
}

const turns = new Turns({
  nowMs: () => performance.now(),
  later: (callback) => void setImmediate(callback),
});

/**
 * Runs work that pauses itself, with turns for other work in between. Resolves with what it returns, and rejects with what it
 * throws.
 */
export function inTurns<Result>(work: Generator<unknown, Result>): Promise<Result> {
  return turns.run(work);
}

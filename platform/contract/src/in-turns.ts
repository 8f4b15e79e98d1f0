/**
 * Work that pauses itself, spread over turns of the event loop: all of it together takes a few milliseconds of a turn, the rest is for packets,
 * timers and other requests. Who waits goes on one after the other, a slice each.
 */

/** Of one turn of the event loop, for what goes on after a pause; and for what begins while nothing else waits. */
const TURN_MS = 2;
const BEGIN_MS = 1;
/** Of one work, before another one that waits. */
const SLICE_MS = 0.5;

export interface TurnClock {
  nowMs(): number;
  /** Calls back after whatever else waits for the event loop. */
  later(callback: () => void): void;
}

/** Does a piece of its work; true when that was the last. */
type Piece = () => boolean;

export class Turns {
  readonly #clock: TurnClock;
  readonly #waiting: Piece[] = [];
  /** When the share of this turn is used up; undefined before the first use in a turn. */
  #beginUntilMs: number | undefined;

  constructor(clock: TurnClock) {
    this.#clock = clock;
  }

  /** Resolves with what the work returns, rejects with what it throws. Short work is done at once. */
  run<Result>(work: Generator<unknown, Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const piece = (): boolean => {
        try {
          const next = work.next();
          if (next.done === true) resolve(next.value);
          return next.done === true;
        } catch (error) {
          reject(error);
          return true;
        }
      };
      if (this.#waiting.length > 0 || !this.#isOver(piece, this.#share())) this.#waiting.push(piece);
    });
  }

  /** The end of what may begin in this turn. The next turn is asked for with the first use. */
  #share(): number {
    if (this.#beginUntilMs === undefined) {
      this.#beginUntilMs = this.#clock.nowMs() + BEGIN_MS;
      this.#clock.later(() => this.#goOn());
    }
    return this.#beginUntilMs;
  }

  /** Works until the time is up; true when all is done. */
  #isOver(piece: Piece, untilMs: number): boolean {
    while (this.#clock.nowMs() < untilMs) if (piece()) return true;
    return false;
  }

  #goOn(): void {
    this.#beginUntilMs = undefined;
    const startedMs = this.#clock.nowMs();
    for (let nowMs = startedMs; nowMs < startedMs + TURN_MS; nowMs = this.#clock.nowMs()) {
      const piece = this.#waiting.shift();
      if (piece === undefined) return;
      if (!this.#isOver(piece, nowMs + SLICE_MS)) this.#waiting.push(piece);
    }
    if (this.#waiting.length > 0) this.#share();
  }
}

const turns = new Turns({
  nowMs: () => performance.now(),
  later: (callback) => void setImmediate(callback),
});

/** Runs work that pauses itself; others have a turn in between. Resolves with what it returns, rejects with what it throws. */
export function inTurns<Result>(work: Generator<unknown, Result>): Promise<Result> {
  return turns.run(work);
}

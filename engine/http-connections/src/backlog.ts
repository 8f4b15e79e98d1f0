/** The time for slices in one turn of the event loop, and the time for endings. At least one of each runs. */
const TURN_MS = 1;

/** What the backlog needs of the platform. A test replaces it. */
export interface BacklogTimers {
  nowMs(): number;
  /** Calls back in the next turn of the event loop. */
  nextTurn(callback: () => void): void;
}

/**
 * Received bytes that wait for a later turn of the event loop. All connections share a part of each turn, one slice each in turns, so that
 * hundreds of clients that send much at once delay the others no more than one of them would. What ends the requests of lost connections goes
 * first: otherwise clients that begin requests and leave would fill the memory with requests that wait for their end.
 */
export class Backlog {
  readonly #timers: BacklogTimers;
  readonly #slices: (() => void)[] = [];
  readonly #endings: Generator<undefined, void>[] = [];
  #isScheduled = false;

  constructor(timers: BacklogTimers = nodeTimers) {
    this.#timers = timers;
  }

  /** Runs `slice` later, which takes well below a millisecond and adds itself again when it leaves something. */
  add(slice: () => void): void {
    this.#slices.push(slice);
    this.#schedule();
  }

  /** Runs what ends the requests of a lost connection, with pauses where it yields. */
  end(ending: Generator<undefined, void>): void {
    this.#endings.push(ending);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#timers.nextTurn(() => this.#run());
  }

  #run(): void {
    try {
      this.#runEndings();
      const untilMs = this.#endings.length > 0 ? 0 : this.#timers.nowMs() + TURN_MS;
      do this.#slices.shift()?.();
      while (this.#slices.length > 0 && this.#timers.nowMs() < untilMs);
    } finally {
      this.#isScheduled = false;
      if (this.#slices.length + this.#endings.length > 0) this.#schedule();
    }
  }

  #runEndings(): void {
    if (this.#endings.length === 0) return;
    const untilMs = this.#timers.nowMs() + TURN_MS;
    do if (this.#endings[0]?.next().done !== false) this.#endings.shift();
    while (this.#endings.length > 0 && this.#timers.nowMs() < untilMs);
  }
}

const nodeTimers: BacklogTimers = {
  nowMs: () => performance.now(),
  nextTurn: (callback) => void setImmediate(callback),
};

/** Of all connections of the process, because they use the same event loop. */
export const backlog = new Backlog();

/** A request works for 20 to 500 µs before it first waits. */
const REQUESTS_EACH = 8;

/**
 * Limits how many pieces of work begin in one turn of the event loop. One packet may contain the requests of many callers, and
 * all of them would otherwise begin in the callback for this packet.
 */
export class TurnPlaces {
  readonly #each: number;
  readonly #later: (callback: () => void) => void;
  readonly #waiting: (() => void)[] = [];
  #left: number;

  /** `later` calls back after everything else that waits for the event loop. */
  constructor(each = REQUESTS_EACH, later: (callback: () => void) => void = setImmediate) {
    this.#each = each;
    this.#left = each;
    this.#later = later;
  }

  /** How many wait for a place. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Returns undefined when the work may begin now. Otherwise resolves in a later turn, in a callback of its own. */
  take(): Promise<void> | undefined {
    if (this.#left === 0) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#took(1);
    return undefined;
  }

  /** Settles like `shared`, which others wait for too, when there is a place. */
  async after<Value>(shared: Promise<Value>): Promise<Value> {
    try {
      return await shared;
    } finally {
      await this.take();
    }
  }

  /** The first place taken in a turn requests the next turn. */
  #took(count: number): void {
    if (this.#left === this.#each) this.#later(this.#nextTurn);
    this.#left -= count;
  }

  readonly #nextTurn = (): void => {
    this.#left = this.#each;
    if (this.#waiting.length === 0) return;
    const begun = this.#waiting.splice(0, this.#each);
    this.#took(begun.length);
    for (const resolve of begun) this.#later(resolve);
  };
}

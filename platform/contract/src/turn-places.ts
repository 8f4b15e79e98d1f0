/** A request works for 20 to 500 µs before it first waits. */
const REQUESTS_EACH = 8;

/**
 * Limits how many pieces of work begin in one turn of the event loop. One packet may contain the requests of many callers, and
 * all of them would otherwise begin in the callback for this packet. Owners get places in turns, so that one with thousands of
 * pieces delays the others no more than one with a few.
 */
export class TurnPlaces {
  readonly #each: () => number;
  readonly #later: (callback: () => void) => void;
  /** By owner. The owner that got a place last is the last one. */
  readonly #waiting = new Map<string, Set<() => void>>();
  #count = 0;
  /** The free places of this turn. Undefined while nothing has begun in it, and no other turn is requested. */
  #left: number | undefined;

  /** `each` returns the places of the turn that begins. `later` calls back after everything else that waits for the event loop. */
  constructor(each = () => REQUESTS_EACH, later: (callback: () => void) => void = setImmediate) {
    this.#each = each;
    this.#later = later;
  }

  /** Whether `most` pieces wait, and this owner has its share of them. */
  isFull(owner: string, most: number): boolean {
    return this.#count >= most && (this.#waiting.get(owner)?.size ?? 0) * this.#waiting.size >= most;
  }

  /** Returns undefined when the work may begin now. Otherwise resolves in a later turn, in a callback of its own. */
  take(owner = ''): Promise<void> | undefined {
    if (this.takeNow()) return undefined;
    return new Promise((resolve) => void this.wait(owner, resolve));
  }

  /** Returns whether the work may begin now. */
  takeNow(): boolean {
    const left = this.#left ?? this.#beginTurn();
    if (left === 0) return false;
    this.#left = left - 1;
    return true;
  }

  /**
   * Calls `begin` in a later turn, in a callback of its own. The result ends the wait, and returns false when it was over. Work that nobody
   * wants any more then takes no place from the others.
   */
  wait(owner: string, begin: () => void): () => boolean {
    const own = this.#waiting.get(owner) ?? new Set();
    this.#waiting.set(owner, own.add(begin));
    this.#count += 1;
    return () => {
      if (!own.delete(begin)) return false;
      this.#count -= 1;
      if (own.size === 0) this.#waiting.delete(owner);
      return true;
    };
  }

  /** Settles like `shared`, which others wait for too, when there is a place. */
  async after<Value>(shared: Promise<Value>): Promise<Value> {
    try {
      return await shared;
    } finally {
      await this.take();
    }
  }

  /** Returns its places. What begins first in a turn requests the next one. */
  #beginTurn(): number {
    this.#later(this.#nextTurn);
    return this.#each();
  }

  readonly #nextTurn = (): void => {
    this.#left = undefined;
    if (this.#count === 0) return;
    const places = this.#beginTurn();
    const begun = Array.from({ length: Math.min(places, this.#count) }, () => this.#next());
    this.#left = places - begun.length;
    for (const resolve of begun) this.#later(resolve);
  };

  /** There is one. */
  #next(): () => void {
    for (const [owner, own] of this.#waiting) {
      const [first] = own;
      if (first === undefined) continue;
      own.delete(first);
      this.#waiting.delete(owner);
      if (own.size > 0) this.#waiting.set(owner, own);
      this.#count -= 1;
      return first;
    }
    throw new Error('nothing waits for a place');
  }
}

import type { Clock } from '@tinkerbell/platform-contract';

/** Milliseconds since the Unix epoch at which every simulation starts: 2030-01-01. */
const START_MS = Date.UTC(2030, 0, 1);

interface Entry {
  readonly atMs: number;
  /** Of two entries at the same time, the one that was scheduled first runs first. */
  readonly number: number;
  task: (() => void) | undefined;
}

/** Time that moves only by `runNext`, from one task to the next. */
export class SimulatedClock implements Clock {
  /** A binary heap with the earliest entry first. */
  readonly #heap: Entry[] = [];
  #nowMs = START_MS;
  #scheduled = 0;

  nowMs(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs - START_MS;
  }

  schedule(delayMs: number, task: () => void): () => void {
    const entry: Entry = { atMs: this.#nowMs + Math.max(0, delayMs), number: this.#scheduled, task };
    this.#scheduled += 1;
    this.#heap.push(entry);
    this.#rise(this.#heap.length - 1);
    return () => {
      entry.task = undefined;
    };
  }

  /** Runs the next task. Returns false when nothing is scheduled. */
  runNext(): boolean {
    for (let entry = this.#take(); entry !== undefined; entry = this.#take()) {
      if (entry.task === undefined) continue;
      this.#nowMs = Math.max(this.#nowMs, entry.atMs);
      entry.task();
      return true;
    }
    return false;
  }

  #take(): Entry | undefined {
    const [first] = this.#heap;
    const last = this.#heap.pop();
    if (first === undefined || last === undefined || this.#heap.length === 0) return first;
    this.#heap[0] = last;
    this.#sink(0);
    return first;
  }

  #rise(from: number): void {
    for (let at = from; at > 0;) {
      const parent = (at - 1) >> 1;
      if (!this.#isEarlier(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(from: number): void {
    for (let at = from; ;) {
      let earliest = at;
      for (const child of [2 * at + 1, 2 * at + 2])
        if (child < this.#heap.length && this.#isEarlier(child, earliest)) earliest = child;
      if (earliest === at) return;
      this.#swap(at, earliest);
      at = earliest;
    }
  }

  #isEarlier(one: number, other: number): boolean {
    const [a, b] = [this.#heap[one], this.#heap[other]];
    if (a === undefined || b === undefined) return false;
    return a.atMs === b.atMs ? a.number < b.number : a.atMs < b.atMs;
  }

  #swap(one: number, other: number): void {
    const [a, b] = [this.#heap[one], this.#heap[other]];
    if (a !== undefined && b !== undefined) [this.#heap[one], this.#heap[other]] = [b, a];
  }
}

import { inTurns } from '@tinkerbell/platform-contract';

/**
 * Signals that nobody waits for a response any more. It does the work of an AbortSignal, which creates several objects and an
 * event for each request and costs as much as matching its route.
 */
export class Departure {
  readonly #tasks = new Set<() => void>();
  #hasHappened = false;

  get hasHappened(): boolean {
    return this.#hasHappened;
  }

  /** Calls back in turns, because one connection may end hundreds of requests at once. */
  happen(): void {
    if (this.#hasHappened) return;
    this.#hasHappened = true;
    if (this.#tasks.size > 0) void inTurns(this.#call());
  }

  *#call(): Generator<undefined, void> {
    for (const task of this.#tasks) {
      task();
      yield undefined;
    }
    this.#tasks.clear();
  }

  /** Calls back once, and at once when it has already happened. */
  onHappened(task: () => void): void {
    if (this.#hasHappened) task();
    else this.#tasks.add(task);
  }

  forget(task: () => void): void {
    this.#tasks.delete(task);
  }
}

/** Happens when the exchange has ended, for any reason. */
export function departureOf(exchange: { onClosed(task: () => void): void }): Departure {
  const gone = new Departure();
  exchange.onClosed(() => gone.happen());
  return gone;
}

/**
 * Something that ends once, such as a call. It takes a tenth of the memory of an AbortSignal, and keeps no reference to a listener that
 * has left.
 */
export class Ending {
  #listeners: (() => void)[] = NOBODY;
  #isOver = false;
  #controller: AbortController | undefined;

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The same for functions of the platform. It is made when somebody reads it. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isOver) this.#controller.abort(REASON);
    return this.#controller.signal;
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const listeners = this.#listeners;
    this.#listeners = NOBODY;
    this.#controller?.abort(REASON);
    for (const listener of listeners) listener();
  }

  /** Calls `listener` at the end, or now if it is over. */
  onEnd(listener: () => void): void {
    if (this.#isOver) listener();
    else if (this.#listeners === NOBODY) this.#listeners = [listener];
    else this.#listeners.push(listener);
  }

  /** Takes back what `onEnd` has added. */
  offEnd(listener: () => void): void {
    const others = this.#listeners.filter((one) => one !== listener);
    this.#listeners = others.length === 0 ? NOBODY : others;
  }

  /** The number of listeners. */
  get listeners(): number {
    return this.#listeners.length;
  }
}

/** Shared, because most calls have no listener. It is never changed. */
const NOBODY: (() => void)[] = [];
/** A new error for each call would collect a stack, which costs more than the rest of it. */
const REASON = 'the call was cancelled';

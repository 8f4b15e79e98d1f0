/**
 * Tells that nobody waits for an answer any more. What an AbortSignal does; that one makes several objects and an event for each
 * request, which costs as much as matching its route.
 */
export class Departure {
  readonly #tasks = new Set<() => void>();
  #hasHappened = false;

  get hasHappened(): boolean {
    return this.#hasHappened;
  }

  happen(): void {
    if (this.#hasHappened) return;
    this.#hasHappened = true;
    for (const task of this.#tasks) task();
    this.#tasks.clear();
  }

  /** Once, at once when it has happened. */
  onHappened(task: () => void): void {
    if (this.#hasHappened) task();
    else this.#tasks.add(task);
  }

  forget(task: () => void): void {
    this.#tasks.delete(task);
  }
}

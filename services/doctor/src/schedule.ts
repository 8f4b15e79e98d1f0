/** When each machine is checked next. */
export class Schedule {
  readonly #dueMs = new Map<string, number>();

  /** Checks the machine at that time, or earlier if it is due earlier. */
  soon(key: string, atMs: number): void {
    this.#dueMs.set(key, Math.min(atMs, this.#dueMs.get(key) ?? atMs));
  }

  /** Pauses after each machine. */
  *allSoon(keys: Iterable<string>, atMs: number): Generator<void, void> {
    for (const key of keys) yield this.soon(key, atMs);
  }

  has(key: string): boolean {
    return this.#dueMs.has(key);
  }

  remove(key: string): void {
    this.#dueMs.delete(key);
  }

  /** The machines that are due, in the order in which their checks were asked for. A machine may be removed meanwhile. */
  *due(nowMs: number): Generator<string> {
    for (const [key, atMs] of this.#dueMs) if (atMs <= nowMs) yield key;
  }

  countDue(nowMs: number): number {
    let count = 0;
    for (const atMs of this.#dueMs.values()) if (atMs <= nowMs) count += 1;
    return count;
  }
}

/** When each machine is checked next. */
export class Schedule {
  readonly #dueMs = new Map<string, number>();

  /** Checks the machine at that time, or earlier if it is due earlier. */
  soon(key: string, atMs: number): void {
    this.#dueMs.set(key, Math.min(atMs, this.#dueMs.get(key) ?? atMs));
  }

  has(key: string): boolean {
    return this.#dueMs.has(key);
  }

  remove(key: string): void {
    this.#dueMs.delete(key);
  }

  /** The machines that are due, the one that has waited longest first. */
  due(nowMs: number): readonly string[] {
    return [...this.#dueMs]
      .filter(([, atMs]) => atMs <= nowMs)
      .sort(([, one], [, other]) => one - other)
      .map(([key]) => key);
  }

  countDue(nowMs: number): number {
    let count = 0;
    for (const atMs of this.#dueMs.values()) if (atMs <= nowMs) count += 1;
    return count;
  }
}

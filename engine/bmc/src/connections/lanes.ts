/** One call at a time for each BMC, in the order of arrival, and many BMCs at once. */
export class Lanes {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs the work when all earlier work of the key has ended, however it ended. */
  async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const result = (this.#last.get(key) ?? Promise.resolve()).then(work, work);
    const settled = result.catch(() => undefined);
    this.#last.set(key, settled);
    try {
      return await result;
    } finally {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    }
  }

  /** The keys that work now or wait. */
  get size(): number {
    return this.#last.size;
  }
}

/**
 * Values by object, of the latest objects, as long as these are in use. A WeakMap of all objects would grow with each change until the next full
 * collection of garbage, and stop the event loop for milliseconds whenever it grows: 4 at 40,000 objects, 13 at 90,000.
 */
export class RecentMap<Key extends object, Value extends {}> {
  readonly #most: number;
  #latest = new WeakMap<Key, Value>();
  #older = new WeakMap<Key, Value>();
  #count = 0;

  /** At least the latest `most` objects are known, and fewer than three times as many. */
  constructor(most = 8192) {
    this.#most = most;
  }

  get(key: Key): Value | undefined {
    const value = this.#latest.get(key);
    if (value !== undefined) return value;
    const older = this.#older.get(key);
    // An object in use stays known.
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: Key, value: Value): void {
    this.#latest.set(key, value);
    this.#count += 1;
    if (this.#count < this.#most) return;
    this.#older = this.#latest;
    this.#latest = new WeakMap();
    this.#count = 0;
  }
}

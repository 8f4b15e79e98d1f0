/** Finds objects by keys taken from them; an object may have several keys, a key several objects. */
export class MultiIndex<Value> {
  readonly #keysOf: (value: Value) => readonly string[];
  /** Most keys have one value: an array of one is a quarter of the smallest map. */
  readonly #byKey = new Map<string, readonly Value[]>();
  readonly #byPath = new Map<string, Value>();

  constructor(keysOf: (value: Value) => readonly string[]) {
    this.#keysOf = keysOf;
  }

  put(path: string, value: Value): void {
    this.remove(path);
    const keys = this.#distinctKeysOf(value);
    if (keys.size > 0) this.#byPath.set(path, value);
    for (const key of keys) {
      this.#byKey.set(key, [...(this.#byKey.get(key) ?? []), value]);
    }
  }

  remove(path: string): void {
    const value = this.#byPath.get(path);
    if (value === undefined) return;
    this.#byPath.delete(path);
    for (const key of this.#distinctKeysOf(value)) {
      const left = (this.#byKey.get(key) ?? []).filter((each) => each !== value);
      if (left.length === 0) this.#byKey.delete(key);
      else this.#byKey.set(key, left);
    }
  }

  get(key: string): readonly Value[] {
    return this.#byKey.get(key) ?? [];
  }

  clear(): void {
    this.#byKey.clear();
    this.#byPath.clear();
  }

  #distinctKeysOf(value: Value): ReadonlySet<string> {
    return new Set(this.#keysOf(value).filter((key) => key !== ''));
  }
}

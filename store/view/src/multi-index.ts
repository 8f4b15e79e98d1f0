/** Finds objects by keys taken from them; an object may have several keys, a key several objects. */
export class MultiIndex<Value> {
  readonly #keysOf: (value: Value) => readonly string[];
  readonly #byKey = new Map<string, Map<string, Value>>();
  readonly #keysByPath = new Map<string, readonly string[]>();

  constructor(keysOf: (value: Value) => readonly string[]) {
    this.#keysOf = keysOf;
  }

  put(path: string, value: Value): void {
    this.remove(path);
    const keys = [...new Set(this.#keysOf(value))].filter((key) => key !== '');
    this.#keysByPath.set(path, keys);
    for (const key of keys) {
      let values = this.#byKey.get(key);
      if (values === undefined) this.#byKey.set(key, (values = new Map()));
      values.set(path, value);
    }
  }

  remove(path: string): void {
    for (const key of this.#keysByPath.get(path) ?? []) {
      const values = this.#byKey.get(key);
      values?.delete(path);
      if (values?.size === 0) this.#byKey.delete(key);
    }
    this.#keysByPath.delete(path);
  }

  get(key: string): readonly Value[] {
    return [...(this.#byKey.get(key)?.values() ?? [])];
  }

  clear(): void {
    this.#byKey.clear();
    this.#keysByPath.clear();
  }
}

/** Finds objects by keys derived from them. An object may have several keys, and a key several objects. */
export class MultiIndex<Value extends object> {
  readonly #keysOf: (value: Value) => readonly string[];
  /** Most keys have one value. An array of one would take as much memory as the entry. */
  readonly #byKey = new Map<string, Value | Several<Value>>();

  constructor(keysOf: (value: Value) => readonly string[]) {
    this.#keysOf = keysOf;
  }

  /**
   * `before` is the value that was put for the same object, or undefined when it is new. `after` is undefined when the object was
   * deleted.
   */
  replace(before: Value | undefined, after: Value | undefined): void {
    if (before !== undefined) for (const key of this.#distinctKeysOf(before)) this.#remove(key, before);
    if (after !== undefined) for (const key of this.#distinctKeysOf(after)) this.#add(key, after);
  }

  get(key: string): readonly Value[] {
    const found = this.#byKey.get(key);
    if (found === undefined) return [];
    return found instanceof Several ? found.values : [found];
  }

  clear(): void {
    this.#byKey.clear();
  }

  #add(key: string, value: Value): void {
    if (key === '') return;
    const others = this.get(key);
    this.#byKey.set(key, others.length === 0 ? value : new Several([...others, value]));
  }

  #remove(key: string, value: Value): void {
    const left = this.get(key).filter((each) => each !== value);
    const [only] = left;
    if (only === undefined) this.#byKey.delete(key);
    else this.#byKey.set(key, left.length === 1 ? only : new Several(left));
  }

  #distinctKeysOf(value: Value): Iterable<string> {
    const keys = this.#keysOf(value);
    return keys.length < 2 ? keys : new Set(keys);
  }
}

class Several<Value> {
  readonly values: readonly Value[];

  constructor(values: readonly Value[]) {
    this.values = values;
  }
}

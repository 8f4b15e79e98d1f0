const NONE: readonly never[] = [];

export interface MultiIndexOptions<Value> {
  /** May return true only for values with the same keys. It saves computing them twice. */
  readonly hasSameKeys?: (one: Value, other: Value) => boolean;
  /** Of the values of a key. No change of an object may change its place. Without it, values are in no particular order. */
  readonly order?: (one: Value, other: Value) => number;
}

/** Finds objects by keys derived from them. An object may have several keys, and a key several objects. */
export class MultiIndex<Value extends object> {
  readonly #keysOf: (value: Value) => readonly string[];
  readonly #hasSameKeys: (one: Value, other: Value) => boolean;
  readonly #order: ((one: Value, other: Value) => number) | undefined;
  /** Most keys have one value. An array of one would take as much memory as the entry. */
  readonly #byKey = new Map<string, Value | Several<Value>>();

  constructor(keysOf: (value: Value) => readonly string[], options: MultiIndexOptions<Value> = {}) {
    this.#keysOf = keysOf;
    this.#hasSameKeys = options.hasSameKeys ?? (() => false);
    this.#order = options.order;
  }

  /**
   * `before` is the value that was put for the same object, or undefined when it is new. `after` is undefined when the object was
   * deleted.
   */
  replace(before: Value | undefined, after: Value | undefined): void {
    if (before !== undefined && after !== undefined && this.#swap(before, after)) return;
    if (before !== undefined) for (const key of this.#distinctKeysOf(before)) this.#remove(key, before);
    if (after !== undefined) for (const key of this.#distinctKeysOf(after)) this.#add(key, after);
  }

  /** Most changes keep the keys. Returns false for one that does not. */
  #swap(before: Value, after: Value): boolean {
    const now = this.#keysOf(after);
    if (!this.#hasSameKeys(before, after)) {
      const old = this.#keysOf(before);
      if (old.length !== now.length || old.some((key, at) => key !== now[at])) return false;
    }
    for (const key of now) if (key !== '') this.#swapAt(key, before, after);
    return true;
  }

  #swapAt(key: string, before: Value, after: Value): void {
    const found = this.#byKey.get(key);
    if (found === before) this.#byKey.set(key, after);
    else this.#put(key, swapped(this.get(key), before, after));
  }

  get(key: string): readonly Value[] {
    const found = this.#byKey.get(key);
    if (found === undefined) return NONE;
    return found instanceof Several ? found.values : [found];
  }

  get isEmpty(): boolean {
    return this.#byKey.size === 0;
  }

  clear(): void {
    this.#byKey.clear();
  }

  #add(key: string, value: Value): void {
    if (key === '') return;
    const found = this.get(key);
    if (found.length === 0) this.#byKey.set(key, value);
    else this.#put(key, this.#joined(found, value));
  }

  #joined(values: readonly Value[], value: Value): readonly Value[] {
    const order = this.#order;
    const at = order === undefined ? -1 : values.findIndex((each) => order(value, each) < 0);
    return at < 0 ? [...values, value] : values.toSpliced(at, 0, value);
  }

  #remove(key: string, value: Value): void {
    this.#put(
      key,
      this.get(key).filter((each) => each !== value),
    );
  }

  #put(key: string, values: readonly Value[]): void {
    const [first] = values;
    if (first === undefined) this.#byKey.delete(key);
    else this.#byKey.set(key, values.length === 1 ? first : new Several(values));
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

function swapped<Value>(values: readonly Value[], before: Value, after: Value): readonly Value[] {
  return values.length === 1 ? [after] : values.map((each) => (each === before ? after : each));
}

/** Finds objects by keys derived from them. An object may have several keys, and a key several objects. */
export class MultiIndex<Value> {
  readonly #keysOf: (value: Value) => readonly string[];
  /** Most keys have one value, and an array of one takes a quarter of the memory of the smallest map. */
  readonly #byKey = new Map<string, readonly Value[]>();

  constructor(keysOf: (value: Value) => readonly string[]) {
    this.#keysOf = keysOf;
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
    const [old, now] = [this.#keysOf(before), this.#keysOf(after)];
    if (old.length !== now.length || old.some((key, at) => key !== now[at])) return false;
    for (const key of now) if (key !== '') this.#byKey.set(key, swapped(this.get(key), before, after));
    return true;
  }

  get(key: string): readonly Value[] {
    return this.#byKey.get(key) ?? [];
  }

  clear(): void {
    this.#byKey.clear();
  }

  #add(key: string, value: Value): void {
    const others = this.#byKey.get(key);
    // A literal of one element has room for one. An array created by spreading has room for sixteen more.
    this.#byKey.set(key, others === undefined ? [value] : [...others, value]);
  }

  #remove(key: string, value: Value): void {
    const left = this.get(key).filter((each) => each !== value);
    if (left.length === 0) this.#byKey.delete(key);
    else this.#byKey.set(key, left);
  }

  #distinctKeysOf(value: Value): ReadonlySet<string> {
    return new Set(this.#keysOf(value).filter((key) => key !== ''));
  }
}

function swapped<Value>(values: readonly Value[], before: Value, after: Value): readonly Value[] {
  return values.length === 1 ? [after] : values.map((each) => (each === before ? after : each));
}

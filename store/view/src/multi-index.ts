import type { Held } from './held.ts';

const NONE: readonly never[] = [];

/**
 * Finds objects by keys derived from them. An object may have several keys, and a key several objects. It holds the places of objects,
 * so that a change of an object that keeps its keys does not change the index.
 */
export class MultiIndex<Value extends object> {
  readonly #keysOf: (value: Value) => readonly string[];
  readonly #order: ((one: Value, other: Value) => number) | undefined;
  /** Most keys have one value. An array of one would take as much memory as the entry. */
  readonly #byKey = new Map<string, Held<Value> | Several<Value>>();

  /** `order`: of the values of a key. No change of an object may change its place. Without it, values are in no particular order. */
  constructor(keysOf: (value: Value) => readonly string[], order?: (one: Value, other: Value) => number) {
    this.#keysOf = keysOf;
    this.#order = order;
  }

  /**
   * `before` is the place that was put for the same object, or undefined when it is new. `after` is undefined when the object was
   * deleted.
   */
  replace(before: Held<Value> | undefined, after: Held<Value> | undefined): void {
    if (before !== undefined && after !== undefined && this.#swap(before, after)) return;
    if (before !== undefined) for (const key of this.#distinctKeysOf(before)) this.#remove(key, before);
    if (after !== undefined) for (const key of this.#distinctKeysOf(after)) this.#add(key, after);
  }

  /** Many changes keep the keys. Returns false for one that does not. */
  #swap(before: Held<Value>, after: Held<Value>): boolean {
    const [old, now] = [this.#keysOf(before.object), this.#keysOf(after.object)];
    if (old.length !== now.length || old.some((key, at) => key !== now[at])) return false;
    for (const key of now) if (key !== '') this.#put(key, swapped(this.#at(key), before, after));
    return true;
  }

  get(key: string): readonly Value[] {
    const found = this.#byKey.get(key);
    if (found === undefined) return NONE;
    return found instanceof Several ? found.places.map(({ object }) => object) : [found.object];
  }

  #at(key: string): readonly Held<Value>[] {
    const found = this.#byKey.get(key);
    if (found === undefined) return NONE;
    return found instanceof Several ? found.places : [found];
  }

  get isEmpty(): boolean {
    return this.#byKey.size === 0;
  }

  clear(): void {
    this.#byKey.clear();
  }

  #add(key: string, place: Held<Value>): void {
    if (key !== '') this.#put(key, this.#joined(this.#at(key), place));
  }

  #joined(places: readonly Held<Value>[], place: Held<Value>): readonly Held<Value>[] {
    const order = this.#order;
    const at = order === undefined ? -1 : places.findIndex((each) => order(place.object, each.object) < 0);
    return at < 0 ? [...places, place] : places.toSpliced(at, 0, place);
  }

  #remove(key: string, place: Held<Value>): void {
    this.#put(
      key,
      this.#at(key).filter((each) => each !== place),
    );
  }

  #put(key: string, places: readonly Held<Value>[]): void {
    const [first] = places;
    if (first === undefined) this.#byKey.delete(key);
    else this.#byKey.set(key, places.length === 1 ? first : new Several(places));
  }

  #distinctKeysOf({ object }: Held<Value>): Iterable<string> {
    const keys = this.#keysOf(object);
    return keys.length < 2 ? keys : new Set(keys);
  }
}

class Several<Value extends object> {
  readonly places: readonly Held<Value>[];

  constructor(places: readonly Held<Value>[]) {
    this.places = places;
  }
}

function swapped<Place>(places: readonly Place[], before: Place, after: Place): readonly Place[] {
  return places.map((each) => (each === before ? after : each));
}

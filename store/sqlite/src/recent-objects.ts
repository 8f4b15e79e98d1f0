import { formatKey, type ObjectKey, type StoredObject } from '@tinkerbell/store-contract';

/** What was read or written last, as values, so that a change of an object does not parse it twice. Bounded; the oldest goes first. */
export class RecentObjects {
  readonly #entries = new Map<string, StoredObject>();
  readonly #countMax: number;

  constructor(countMax: number) {
    this.#countMax = countMax;
  }

  get(key: ObjectKey): StoredObject | undefined {
    return this.#entries.get(formatKey(key));
  }

  set(stored: StoredObject): void {
    const path = formatKey(stored.key);
    this.#entries.delete(path);
    this.#entries.set(path, stored);
    if (this.#entries.size <= this.#countMax) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      break;
    }
  }

  delete(key: ObjectKey): void {
    this.#entries.delete(formatKey(key));
  }

  clear(): void {
    this.#entries.clear();
  }
}

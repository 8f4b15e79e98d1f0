import type { Resource } from '@tinkerbell/resources';
import { formatKey, type ObjectKey, type StoredObject } from '@tinkerbell/store-contract';

/** With fewer entries, a search for collected objects is not worthwhile. */
const SWEEP_MIN = 1_024;
/** Only names. Each heartbeat of an agent asks for the record of its machine, which is absent for agents without a token. */
const ABSENT_MAX = 32_768;

interface Recent {
  readonly stored: StoredObject;
  readonly checksum: number | undefined;
}

/**
 * Objects of the store as values, so that objects in memory are not parsed twice: those read or written last,
 * and any that another part of this program still holds, such as the view. Objects from a store must not be
 * changed.
 */
export class KnownObjects {
  /** Objects held here. Their number is limited, and the oldest is dropped first. */
  readonly #recent = new Map<string, Recent>();
  /** Objects that others hold, or that are collected. */
  readonly #elsewhere = new Map<string, { readonly revision: number; readonly object: WeakRef<Resource> }>();
  /** Names that were requested and are absent. */
  readonly #absent = new Set<string>();
  readonly #recentMax: number;
  #sweepAt = SWEEP_MIN;

  constructor(recentMax: number) {
    this.#recentMax = recentMax;
  }

  get size(): number {
    return this.#recent.size + this.#elsewhere.size;
  }

  /** The caller may know the path of the key, which takes longer to make than to look up. */
  get(key: ObjectKey, path = formatKey(key)): StoredObject | undefined {
    return this.#at(path, key);
  }

  #at(path: string, key: ObjectKey): StoredObject | undefined {
    const recent = this.#recent.get(path);
    if (recent !== undefined) return recent.stored;
    const held = this.#elsewhere.get(path);
    const object = held?.object.deref();
    return held === undefined || object === undefined ? undefined : { key, revision: held.revision, object };
  }

  /** Of the object's row. Returns undefined also for an object that was read. */
  checksumOf(key: ObjectKey): number | undefined {
    return this.#recent.get(formatKey(key))?.checksum;
  }

  has(key: ObjectKey): boolean {
    if (this.size === 0) return false;
    const path = formatKey(key);
    return this.#recent.has(path) || this.#elsewhere.has(path);
  }

  /** Stores an object that was just read, or written to a row of that checksum. */
  set(stored: StoredObject, checksum?: number): void {
    const path = formatKey(stored.key);
    this.#absent.delete(path);
    this.#elsewhere.delete(path);
    this.#recent.delete(path);
    this.#recent.set(path, { stored, checksum });
    if (this.#recent.size <= this.#recentMax) return;
    const [oldest] = this.#recent;
    if (oldest === undefined) return;
    this.#recent.delete(oldest[0]);
    this.#hold(oldest[0], oldest[1].stored);
  }

  isAbsent(key: ObjectKey, path = formatKey(key)): boolean {
    return this.#absent.has(path);
  }

  /** Recently requested and absent. This is remembered until the object is written. */
  absent(key: ObjectKey): void {
    if (this.#absent.size >= ABSENT_MAX) this.#absent.clear();
    this.#absent.add(formatKey(key));
  }

  /** An object that a list has read. Returns the known value, or remembers this one for as long as the caller holds it. */
  listed(stored: StoredObject): StoredObject {
    const path = formatKey(stored.key);
    const known = this.#at(path, stored.key);
    if (known === undefined) this.#hold(path, stored);
    return known ?? stored;
  }

  delete(key: ObjectKey): void {
    const path = formatKey(key);
    this.#recent.delete(path);
    this.#elsewhere.delete(path);
  }

  clear(): void {
    this.#recent.clear();
    this.#elsewhere.clear();
    this.#absent.clear();
  }

  #hold(path: string, { revision, object }: StoredObject): void {
    this.#elsewhere.set(path, { revision, object: new WeakRef(object) });
    if (this.#elsewhere.size < this.#sweepAt) return;
    for (const [each, held] of this.#elsewhere)
      if (held.object.deref() === undefined) this.#elsewhere.delete(each);
    this.#sweepAt = Math.max(SWEEP_MIN, this.#elsewhere.size * 2);
  }
}

/** Indexes owners by uid. Contains only objects with owner references. */
import type { Resource } from '@tinkerbell/resources';
import { formatKey, type ObjectKey } from '@tinkerbell/store-contract';

export class OwnerIndex {
  readonly #dependents = new Map<string, Map<string, ObjectKey>>();
  readonly #owners = new Map<string, readonly string[]>();

  put(key: ObjectKey, { metadata }: Resource): void {
    const owners = (metadata.ownerReferences ?? []).map(({ uid }) => uid);
    const path = formatKey(key);
    if (owners.length === 0 && !this.#owners.has(path)) return;
    this.remove(key);
    if (owners.length === 0) return;
    this.#owners.set(path, owners);
    for (const uid of owners) {
      let dependents = this.#dependents.get(uid);
      if (dependents === undefined) this.#dependents.set(uid, (dependents = new Map()));
      dependents.set(path, key);
    }
  }

  remove(key: ObjectKey): void {
    const path = formatKey(key);
    for (const uid of this.#owners.get(path) ?? []) {
      const dependents = this.#dependents.get(uid);
      dependents?.delete(path);
      if (dependents?.size === 0) this.#dependents.delete(uid);
    }
    this.#owners.delete(path);
  }

  dependentsOf(uid: string): readonly ObjectKey[] {
    return [...(this.#dependents.get(uid)?.values() ?? [])];
  }
}

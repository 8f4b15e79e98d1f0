/** Indexes which Hardware references an object in `spec.references`, to find the workflows that wait for a change of the object. */
import type { Hardware } from '@tinkerbell/resources';
import { formatKey, type NamespacedName, type ObjectKey } from '@tinkerbell/store-contract';
import { referencedKeys } from '@tinkerbell/engine-rendering';
import type { ReferenceRules } from '@tinkerbell/template';

export class Referrers {
  readonly #rules: ReferenceRules;
  /** By the path of the object, then by the path of the Hardware. */
  readonly #byObject = new Map<string, Map<string, NamespacedName>>();
  /** The Hardware with references, by path, and the paths of the objects that it references. */
  readonly #ofHardware = new Map<
    string,
    { readonly hardware: NamespacedName; readonly objects: readonly string[] }
  >();

  constructor(rules: ReferenceRules) {
    this.#rules = rules;
  }

  put(hardware: Hardware): void {
    const { namespace, name } = hardware.metadata;
    this.remove({ namespace, name });
    if (hardware.spec?.references === undefined) return;
    const path = `${namespace}/${name}`;
    const objects = referencedKeys(hardware, this.#rules).map(formatKey);
    this.#ofHardware.set(path, { hardware: { namespace, name }, objects });
    for (const object of objects) {
      const named = this.#byObject.get(object) ?? new Map<string, NamespacedName>();
      this.#byObject.set(object, named.set(path, { namespace, name }));
    }
  }

  remove({ namespace, name }: NamespacedName): void {
    const path = `${namespace}/${name}`;
    for (const object of this.#ofHardware.get(path)?.objects ?? []) {
      const named = this.#byObject.get(object);
      named?.delete(path);
      if (named?.size === 0) this.#byObject.delete(object);
    }
    this.#ofHardware.delete(path);
  }

  /** Returns the Hardware that is in the index. */
  all(): readonly NamespacedName[] {
    return Array.from(this.#ofHardware.values(), ({ hardware }) => hardware);
  }

  naming(key: ObjectKey): readonly NamespacedName[] {
    return [...(this.#byObject.get(formatKey(key))?.values() ?? [])];
  }
}

/** The kinds that are currently served: built-in kinds, and those of CustomResourceDefinitions. */
import { apiVersionOf, builtInKinds, collectionOf, type Kind } from '@tinkerbell/resources';

export class KindCatalog {
  #custom = new Map<string, readonly Kind[]>();
  #all: readonly Kind[] = builtInKinds;
  #revision = 0;

  all(): readonly Kind[] {
    return this.#all;
  }

  /** Increases with every change, so that derived documents can be cached. */
  revision(): number {
    return this.#revision;
  }

  byPath(group: string, version: string, plural: string): Kind | undefined {
    return this.#all.find((one) => one.plural === plural && one.group === group && one.version === version);
  }

  byName(apiVersion: string, kind: string): Kind | undefined {
    return this.#all.find((one) => one.kind === kind && apiVersionOf(one) === apiVersion);
  }

  /** Sets the served versions of a definition. An empty list removes it. */
  put(definition: string, kinds: readonly Kind[]): void {
    if (kinds.length === 0 && !this.#custom.has(definition)) return;
    if (kinds.length === 0) this.#custom.delete(definition);
    else this.#custom.set(definition, kinds);
    this.#all = [...builtInKinds, ...[...this.#custom.values()].flat()];
    this.#revision += 1;
  }

  /** True for the collection of a built-in kind. */
  isBuiltIn(collection: string): boolean {
    return builtInKinds.some((one) => collectionOf(one) === collection);
  }

  /** Returns one kind per collection, whatever its versions. */
  collections(): readonly Kind[] {
    const seen = new Set<string>();
    return this.#all.filter(({ group, plural }) => {
      const name = `${group}/${plural}`;
      return !seen.has(name) && seen.add(name) !== undefined;
    });
  }
}

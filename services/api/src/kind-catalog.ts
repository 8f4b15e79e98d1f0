/** The kinds that are served now: those that are built in, and those that CustomResourceDefinitions bring. */
import { apiVersionOf, builtInKinds, collectionOf, type Kind } from '@tinkerbell/resources';

export class KindCatalog {
  #custom = new Map<string, readonly Kind[]>();
  #all: readonly Kind[] = builtInKinds;
  #revision = 0;

  all(): readonly Kind[] {
    return this.#all;
  }

  /** Grows with every change, so that what is made of the kinds can be kept until then. */
  revision(): number {
    return this.#revision;
  }

  byPath(group: string, version: string, plural: string): Kind | undefined {
    return this.#all.find((one) => one.plural === plural && one.group === group && one.version === version);
  }

  byName(apiVersion: string, kind: string): Kind | undefined {
    return this.#all.find((one) => one.kind === kind && apiVersionOf(one) === apiVersion);
  }

  /** The served versions of the definition of this name; none take it away. */
  put(definition: string, kinds: readonly Kind[]): void {
    if (kinds.length === 0 && !this.#custom.has(definition)) return;
    if (kinds.length === 0) this.#custom.delete(definition);
    else this.#custom.set(definition, kinds);
    this.#all = [...builtInKinds, ...[...this.#custom.values()].flat()];
    this.#revision += 1;
  }

  /** True for the collection of a kind that is served without a definition. */
  isBuiltIn(collection: string): boolean {
    return builtInKinds.some((one) => collectionOf(one) === collection);
  }

  /** One kind for each collection, whatever its versions. */
  collections(): readonly Kind[] {
    const seen = new Set<string>();
    return this.#all.filter(({ group, plural }) => {
      const name = `${group}/${plural}`;
      return !seen.has(name) && seen.add(name) !== undefined;
    });
  }
}

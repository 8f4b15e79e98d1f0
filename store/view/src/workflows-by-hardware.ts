import type { Workflow } from '@tinkerbell/resources';
import { byAge } from './by-age.ts';
import type { Held } from './held.ts';
import { MultiIndex } from './multi-index.ts';

const NONE: readonly never[] = [];

/**
 * Finds workflows by namespace and name of their Hardware, oldest first. Each namespace has an index of its own, because joining the two for each lookup makes
 * a new text that has to be hashed.
 */
export class WorkflowsByHardware {
  readonly #byNamespace = new Map<string, MultiIndex<Workflow>>();

  /** As that of MultiIndex. An object never changes its namespace. */
  replace(before: Held<Workflow> | undefined, after: Held<Workflow> | undefined): void {
    const namespace = (after ?? before)?.object.metadata.namespace ?? '';
    let index = this.#byNamespace.get(namespace);
    if (index === undefined) {
      index = new MultiIndex<Workflow>((workflow) => [workflow.spec?.hardwareRef ?? ''], byAge);
      this.#byNamespace.set(namespace, index);
    }
    index.replace(before, after);
    if (index.isEmpty) this.#byNamespace.delete(namespace);
  }

  get(namespace: string, hardwareName: string): readonly Workflow[] {
    return this.#byNamespace.get(namespace)?.get(hardwareName) ?? NONE;
  }

  clear(): void {
    this.#byNamespace.clear();
  }
}

import { RecentMap, type Hardware, type HardwareCondition, type HardwareSpec } from '@tinkerbell/resources';

const NO_CONDITIONS: readonly HardwareCondition[] = [];

/** What the latest changes of Hardware have shown. */
export class SeenHardware {
  /** The conditions that came with a spec. Both stay the same objects when something else of a Hardware changes. */
  readonly #conditions = new RecentMap<HardwareSpec, readonly HardwareCondition[]>();

  /** Returns false for a status that others report, which says nothing about a boot. */
  isNews({ spec, status }: Hardware): boolean {
    if (spec === undefined) return true;
    const conditions = status?.conditions ?? NO_CONDITIONS;
    if (this.#conditions.get(spec) === conditions) return false;
    this.#conditions.set(spec, conditions);
    return true;
  }
}

import type { Hardware } from '../kinds.ts';
import { RecentMap } from '../recent-map.ts';
import type { HardwareCondition, HardwareSpec } from './hardware.ts';

const NO_CONDITIONS: readonly HardwareCondition[] = [];

/** What the latest changes of Hardware have shown. */
export class SeenHardware {
  /** The conditions that came with a spec. Both stay the same objects when something else of a Hardware changes. */
  readonly #conditions = new RecentMap<HardwareSpec, readonly HardwareCondition[]>();

  /** Returns false when neither the spec nor a condition has changed, but what else a status reports. */
  isNews({ spec, status }: Hardware): boolean {
    if (spec === undefined) return true;
    const conditions = status?.conditions ?? NO_CONDITIONS;
    if (this.#conditions.get(spec) === conditions) return false;
    this.#conditions.set(spec, conditions);
    return true;
  }
}

/** How long each step of a boot usually takes, learned per model of machine, so that silence is a finding. */
import type { Hardware } from '@tinkerbell/resources';
import { steps, type StepName } from './steps.ts';

/** A step is judged by the latest of these. */
const SAMPLES_KEPT = 64;
/** With fewer samples, the defaults are better. */
const SAMPLES_NEEDED = 5;
const MODELS_MAX = 1_000;
/** A machine that stood still for so long and then continued was helped by someone. */
const SAMPLE_MS_MAX = 1_200_000;
const USUAL_SHARE = 0.9;
/** A step is overdue at this factor of its usual duration, plus the margin. With the defaults that is within a minute, except for power-on. */
const FACTOR = 1.5;
const MARGIN_MS = 10_000;

/** The model of machines whose Hardware names none. */
const ANY = '';

/** Returns `<manufacturer> <product>` of a Hardware, as its metadata or its BMC reports it, or an empty text. */
export function modelOf(hardware: Hardware | undefined): string {
  const { vendor = '', model = '' } = hardware?.status?.attributes?.outOfBand?.chassis ?? {};
  return `${manufacturerOf(hardware) ?? vendor} ${model}`.trim();
}

function manufacturerOf(hardware: Hardware | undefined): string | undefined {
  return hardware?.spec?.metadata?.manufacturer?.slug;
}

export class UsualDurations {
  /** The latest durations in milliseconds. The models are in order of use. */
  readonly #byModel = new Map<string, Map<StepName, number[]>>();

  learn(model: string, durations: ReadonlyMap<StepName, number>): void {
    for (const name of new Set([model, ANY])) {
      const known = this.#byModel.get(name) ?? new Map<StepName, number[]>();
      this.#byModel.delete(name);
      this.#byModel.set(name, known);
      for (const [step, ms] of durations) {
        if (ms > SAMPLE_MS_MAX) continue;
        known.set(step, [...(known.get(step) ?? []), ms].slice(-SAMPLES_KEPT));
      }
    }
    const oldest = [...this.#byModel.keys()].find((name) => name !== ANY);
    if (this.#byModel.size > MODELS_MAX && oldest !== undefined) this.#byModel.delete(oldest);
  }

  /** The duration that nine of ten machines of the model do not exceed, in milliseconds. */
  usualMs(model: string, step: StepName): number {
    for (const name of [model, ANY]) {
      const samples = this.#byModel.get(name)?.get(step) ?? [];
      if (samples.length < SAMPLES_NEEDED) continue;
      const sorted = samples.toSorted((one, other) => one - other);
      return sorted[Math.floor((sorted.length - 1) * USUAL_SHARE)] ?? 0;
    }
    return steps[step].usualSeconds * 1000;
  }

  /** Silence in the step is normal for this long, in milliseconds. */
  limitMs(model: string, step: StepName): number {
    return Math.round(this.usualMs(model, step) * FACTOR) + MARGIN_MS;
  }
}

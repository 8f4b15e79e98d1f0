/**
 * How many measured values there were below each bound, as a histogram of Prometheus tells it. Observing costs a search among a
 * dozen numbers and two additions: no label is put together before somebody looks.
 */
export class Histogram {
  /** Prometheus' own, in seconds: 5 ms to 10 s. */
  static readonly secondsBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

  readonly #bounds: readonly number[];
  /** Of each bound alone; the last counts what is above them all. */
  readonly #counts: number[];
  #count = 0;
  #sum = 0;

  /** `bounds` ascend. */
  constructor(bounds: readonly number[] = Histogram.secondsBounds) {
    this.#bounds = bounds;
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  get count(): number {
    return this.#count;
  }

  observe(value: number): void {
    let at = 0;
    while (at < this.#bounds.length && value > (this.#bounds[at] ?? 0)) at += 1;
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#count += 1;
    this.#sum += value;
  }

  /** By name with labels: buckets, each with all that is below its bound, sum and count. `labels`: `route="api"`. */
  samples(name: string, labels = ''): Readonly<Record<string, number>> {
    const samples: Record<string, number> = {};
    const prefix = labels === '' ? '' : `${labels},`;
    let below = 0;
    for (const [index, count] of this.#counts.entries()) {
      below += count;
      samples[`${name}_bucket{${prefix}le="${this.#bounds[index] ?? '+Inf'}"}`] = below;
    }
    const own = labels === '' ? '' : `{${labels}}`;
    samples[`${name}_sum${own}`] = this.#sum;
    samples[`${name}_count${own}`] = this.#count;
    return samples;
  }
}

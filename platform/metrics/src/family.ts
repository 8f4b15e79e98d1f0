/** The three kinds of metrics. Each keeps its values by the labels that it declares. */
import { labelsText, LabelValues } from './label-values.ts';

export type Labels<Label extends string> = Readonly<Record<Label, string>>;

type None = Readonly<Record<string, never>>;

/** A family without labels takes {} or no argument. */
type Given<Label extends string> = [Label] extends [never] ? None | void : Labels<Label>;

export interface MetricFamily {
  /** The name of the family. For a histogram, the name without `_bucket`, `_sum` and `_count`. */
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** The help text, one line. */
  readonly help: string;
  readonly labels: readonly string[];
  /** Returns each sample as `name{labels}` and its value, in order. */
  samples(): Iterable<readonly [name: string, value: number]>;
}

/** Prometheus' default bounds, in seconds: 5 ms to 10 s. */
export const SECONDS_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

const NONE: None = {};
const zero = (): number => 0;

abstract class Family<Label extends string, Value> implements MetricFamily {
  abstract readonly type: MetricFamily['type'];
  readonly name: string;
  readonly help: string;
  readonly labels: readonly Label[];
  protected readonly kept: LabelValues<Label, Value>;

  constructor(name: string, help: string, labels: readonly Label[]) {
    this.name = name;
    this.help = help;
    this.labels = labels;
    this.kept = new LabelValues(labels);
  }

  abstract samples(): Iterable<readonly [name: string, value: number]>;

  protected entry(given: Given<Label>, make: () => Value): Entry<Value> | undefined {
    const labels: Labels<Label> | None | void = given;
    return this.kept.entry(labels ?? NONE, make);
  }

  /** A combination that is not shown because there are too many already. */
  protected child(given: Given<Label>, make: () => Value): Entry<Value> {
    return this.entry(given, make) ?? { value: make() };
  }
}

interface Entry<Value> {
  value: Value;
}

/** One combination of a counter. Counting costs an addition. */
export interface CounterChild {
  add(amount?: number): void;
}

/** One combination of a gauge. */
export interface GaugeChild {
  set(value: number): void;
  add(amount: number): void;
}

/** One combination of a histogram. */
export interface HistogramChild {
  observe(value: number): void;
}

class NumberChild implements CounterChild, GaugeChild {
  readonly #entry: Entry<number>;

  constructor(entry: Entry<number>) {
    this.#entry = entry;
  }

  add(amount = 1): void {
    this.#entry.value += amount;
  }

  set(value: number): void {
    this.#entry.value = value;
  }
}

/** Keeps one number for each combination. The numbers are read from a source when `from` was called. */
abstract class NumberFamily<Label extends string> extends Family<Label, number> {
  #source: Source<Label> | undefined;

  add(labels: Given<Label>, amount = 1): void {
    const entry = this.entry(labels, zero);
    if (entry !== undefined) entry.value += amount;
  }

  /**
   * Returns the combination, for code that counts per packet. It is shown from now on, with zero at first.
   */
  with(labels: Given<Label>): CounterChild {
    return new NumberChild(this.child(labels, zero));
  }

  /** Reads the numbers from `source` whenever the text is created, for values that are known elsewhere. */
  from(source: Source<Label>): this {
    this.#source = source;
    return this;
  }

  samples(): Iterable<readonly [name: string, value: number]> {
    return numberSamples(this, this.kept, this.#source);
  }
}

/** A counter only increases. */
export class Counter<Label extends string = never> extends NumberFamily<Label> {
  readonly type = 'counter';
}

/** A gauge increases and decreases. */
export class Gauge<Label extends string = never> extends NumberFamily<Label> {
  readonly type = 'gauge';

  set(labels: Given<Label>, value: number): void {
    const entry = this.entry(labels, zero);
    if (entry !== undefined) entry.value = value;
  }

  /** Returns the combination, which is shown from now on, with zero at first. */
  override with(labels: Given<Label>): GaugeChild {
    return new NumberChild(this.child(labels, zero));
  }
}

/** One number without labels. Otherwise each combination with its number. */
export type Source<Label extends string> = () =>
  | number
  | Iterable<readonly [labels: Labels<Label>, value: number]>;

function* numberSamples<Label extends string>(
  { name, labels }: { readonly name: string; readonly labels: readonly Label[] },
  kept: LabelValues<Label, number>,
  source: Source<Label> | undefined,
): Iterable<readonly [name: string, value: number]> {
  for (const { text, value } of kept.entries()) yield [named(name, text), value];
  const read = source?.() ?? [];
  if (typeof read === 'number') yield [name, read];
  else
    for (const [given, value] of read)
      yield [
        named(
          name,
          labelsText(
            labels,
            labels.map((label) => given[label]),
          ),
        ),
        value,
      ];
}

function named(name: string, labels: string): string {
  return labels === '' ? name : `${name}{${labels}}`;
}

interface Observed {
  /** The number of values in each bucket alone. The last bucket has those above all bounds. */
  readonly counts: number[];
  count: number;
  sum: number;
}

/**
 * Counts how many observed values were below each bound. Observing costs a search among a dozen numbers and
 * two additions.
 */
export class Histogram<Label extends string = never> extends Family<Label, Observed> {
  readonly type = 'histogram';
  readonly #bounds: readonly number[];

  /** `bounds` ascend. */
  constructor(
    name: string,
    help: string,
    {
      labels,
      bounds = SECONDS_BOUNDS,
    }: { readonly labels: readonly Label[]; readonly bounds?: readonly number[] },
  ) {
    super(name, help, labels);
    this.#bounds = bounds;
  }

  observe(labels: Given<Label>, value: number): void {
    const observed = this.entry(labels, this.#empty)?.value;
    if (observed !== undefined) this.#take(observed, value);
  }

  /**
   * Returns the combination, for code that observes per packet. It is shown from now on, with zeros at first.
   */
  with(labels: Given<Label>): HistogramChild {
    const { value: observed } = this.child(labels, this.#empty);
    return { observe: (value) => this.#take(observed, value) };
  }

  #take(observed: Observed, value: number): void {
    let at = 0;
    while (at < this.#bounds.length && value > (this.#bounds[at] ?? 0)) at += 1;
    observed.counts[at] = (observed.counts[at] ?? 0) + 1;
    observed.count += 1;
    observed.sum += value;
  }

  *samples(): Iterable<readonly [name: string, value: number]> {
    for (const { text, value } of this.kept.entries()) {
      const prefix = text === '' ? '' : `${text},`;
      let below = 0;
      for (const [index, count] of value.counts.entries()) {
        below += count;
        yield [`${this.name}_bucket{${prefix}le="${this.#bounds[index] ?? '+Inf'}"}`, below];
      }
      yield [named(`${this.name}_sum`, text), value.sum];
      yield [named(`${this.name}_count`, text), value.count];
    }
  }

  // Created once, so that no function is created for each observed value.
  readonly #empty = (): Observed => ({
    counts: Array.from({ length: this.#bounds.length + 1 }, () => 0),
    count: 0,
    sum: 0,
  });
}

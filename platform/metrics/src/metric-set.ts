/** The metrics of one service, in the order of their declaration. */
import { Counter, Gauge, Histogram, type MetricFamily } from './family.ts';

/** Upper bounds of buckets, ascending. */
interface HistogramOptions {
  readonly bounds?: readonly number[];
}

/** The services whose metrics a page shows. */
export interface MetricFamilies {
  families(): readonly MetricFamily[];
}

export class MetricSet implements MetricFamilies {
  readonly #families = new Map<string, MetricFamily>();

  families(): readonly MetricFamily[] {
    return [...this.#families.values()];
  }

  counter<const Label extends string = never>(
    name: string,
    help: string,
    labels: readonly Label[] = [],
  ): Counter<Label> {
    return this.#declared(new Counter(name, help, labels));
  }

  gauge<const Label extends string = never>(
    name: string,
    help: string,
    labels: readonly Label[] = [],
  ): Gauge<Label> {
    return this.#declared(new Gauge(name, help, labels));
  }

  histogram<const Label extends string = never>(
    name: string,
    help: string,
    { labels = [], ...options }: HistogramOptions & { readonly labels?: readonly Label[] } = {},
  ): Histogram<Label> {
    return this.#declared(new Histogram(name, help, { labels, ...options }));
  }

  #declared<Declared extends MetricFamily>(family: Declared): Declared {
    if (this.#families.has(family.name)) throw new Error(`the metric ${family.name} is declared twice`);
    this.#families.set(family.name, family);
    return family;
  }
}

/**
 * Returns every value by its name with labels, as the page shows it:
 * `dhcp_ignored_total{reason="no-hardware"}`.
 */
export function samplesOf(metrics: MetricFamilies | undefined): Readonly<Record<string, number>> {
  const families = metrics?.families() ?? [];
  return Object.fromEntries(families.flatMap((family) => [...family.samples()]));
}

/** What the gateway counts, in the form `/metrics` shows. */
import { oneValue } from './header-fields.ts';

const BUCKETS_SECONDS = [0.005, 0.025, 0.1, 0.5, 2.5, 10, 60] as const;
const LABELS_MAX = 5000;
const ROUTES_MAX = 1000;
const SECONDS = 'gateway_request_seconds';

export class GatewayCounts {
  readonly #counts = new Map<string, number>();
  readonly #histograms = new Map<string, Histogram>();

  add(name: string, labels: Readonly<Record<string, string | number>> = {}, amount = 1): void {
    const key = keyOf(name, labels);
    if (!this.#counts.has(key) && this.#counts.size >= LABELS_MAX) return;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + amount);
  }

  /** What goes up and down. */
  set(name: string, labels: Readonly<Record<string, string | number>>, value: number): void {
    const key = keyOf(name, labels);
    if (this.#counts.has(key) || this.#counts.size < LABELS_MAX) this.#counts.set(key, value);
  }

  /** A Prometheus histogram: each bucket counts everything up to its bound. */
  observe(route: string, seconds: number): void {
    let histogram = this.#histograms.get(route);
    if (histogram === undefined) {
      if (this.#histograms.size >= ROUTES_MAX) return;
      histogram = { buckets: BUCKETS_SECONDS.map(() => 0), sum: 0, count: 0 };
      this.#histograms.set(route, histogram);
    }
    const { buckets } = histogram;
    for (let index = BUCKETS_SECONDS.length - 1; seconds <= (BUCKETS_SECONDS[index] ?? -1); index -= 1)
      buckets[index] = (buckets[index] ?? 0) + 1;
    histogram.sum += seconds;
    histogram.count += 1;
  }

  all(): Readonly<Record<string, number>> {
    const all = Object.fromEntries(this.#counts);
    for (const [route, { buckets, sum, count }] of this.#histograms) {
      for (const [index, bound] of BUCKETS_SECONDS.entries())
        all[keyOf(`${SECONDS}_bucket`, { route, le: bound })] = buckets[index] ?? 0;
      all[keyOf(`${SECONDS}_bucket`, { route, le: '+Inf' })] = count;
      all[keyOf(`${SECONDS}_sum`, { route })] = sum;
      all[keyOf(`${SECONDS}_count`, { route })] = count;
    }
    return all;
  }
}

interface Histogram {
  readonly buckets: number[];
  sum: number;
  count: number;
}

function keyOf(name: string, labels: Readonly<Record<string, string | number>>): string {
  let text = '';
  for (const label of Object.keys(labels)) {
    const value = String(labels[label]);
    const safe = /["\\\n]/.test(value) ? value.replaceAll(/["\\\n]/g, '_') : value;
    text += `${text === '' ? '' : ','}${label}="${safe}"`;
  }
  return text === '' ? name : `${name}{${text}}`;
}

export function isGrpcType(contentType: string | readonly string[] | undefined): boolean {
  return /^application\/grpc($|[+;])/.test(oneValue(contentType) ?? '');
}

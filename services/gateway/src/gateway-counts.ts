/** What the gateway counts, in the form `/metrics` shows. */
import { oneValue } from './header-fields.ts';

const BUCKETS_SECONDS = [0.005, 0.025, 0.1, 0.5, 2.5, 10, 60] as const;
const LABELS_MAX = 5000;

export class GatewayCounts {
  readonly #counts = new Map<string, number>();

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
    for (const bound of BUCKETS_SECONDS)
      this.add('gateway_request_seconds_bucket', { route, le: bound }, seconds <= bound ? 1 : 0);
    this.add('gateway_request_seconds_bucket', { route, le: '+Inf' });
    this.add('gateway_request_seconds_sum', { route }, seconds);
    this.add('gateway_request_seconds_count', { route });
  }

  all(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }
}

function keyOf(name: string, labels: Readonly<Record<string, string | number>>): string {
  const text = Object.entries(labels)
    .map(([label, value]) => `${label}="${String(value).replaceAll(/["\\\n]/g, '_')}"`)
    .join(',');
  return text === '' ? name : `${name}{${text}}`;
}

export function isGrpcType(contentType: string | readonly string[] | undefined): boolean {
  return /^application\/grpc($|[+;])/.test(oneValue(contentType) ?? '');
}

/** Prometheus' text format 0.0.4 of values that are kept as plain numbers by name and labels. */

/** What one metric means; its samples are told together. */
export interface MetricFamily {
  /** Of a histogram without `_bucket`, `_sum` and `_count`. */
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** One line. */
  readonly help: string;
}

/** `dhcp_sent_total{type="offer"}` and its value. */
export type Sample = readonly [name: string, value: number];

export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Families in their order, those without samples left out; samples of no family come last, untyped. */
export function metricsText(families: readonly MetricFamily[], samples: Iterable<Sample>): string {
  const byName = new Map<string, Sample[]>();
  for (const sample of samples) {
    const name = nameOf(sample[0]);
    const known = byName.get(name);
    if (known === undefined) byName.set(name, [sample]);
    else known.push(sample);
  }
  let text = '';
  for (const family of families) {
    const own = namesOf(family).flatMap((name) => taken(byName, name));
    if (own.length === 0) continue;
    text += `# HELP ${family.name} ${escaped(family.help)}\n# TYPE ${family.name} ${family.type}\n`;
    text += own.map(lineOf).join('');
  }
  for (const [name, own] of byName) text += `# TYPE ${name} untyped\n${own.map(lineOf).join('')}`;
  return text;
}

function namesOf({ name, type }: MetricFamily): readonly string[] {
  return type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
}

function taken(byName: Map<string, Sample[]>, name: string): readonly Sample[] {
  const own = byName.get(name) ?? [];
  byName.delete(name);
  return own;
}

function nameOf(sample: string): string {
  const labels = sample.indexOf('{');
  return labels < 0 ? sample : sample.slice(0, labels);
}

function lineOf([name, value]: Sample): string {
  return `${name} ${numberOf(value)}\n`;
}

function numberOf(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}

function escaped(help: string): string {
  return help.replaceAll('\\', String.raw`\\`).replaceAll('\n', String.raw`\n`);
}

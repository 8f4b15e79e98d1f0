/** Writes Prometheus' text format 0.0.4. */
import type { MetricFamily } from './family.ts';

export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * Returns the families in order, without those that have no samples. A name that several services declare
 * becomes one family, at the place of the first.
 */
export function metricsText(families: Iterable<MetricFamily>): string {
  let text = '';
  for (const [name, same] of Map.groupBy(families, (family) => family.name)) {
    let lines = '';
    for (const family of same)
      for (const [sample, value] of family.samples()) lines += `${sample} ${numberOf(value)}\n`;
    const [{ help, type } = { help: '', type: 'untyped' }] = same;
    if (lines !== '') text += `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n${lines}`;
  }
  return text;
}

function numberOf(value: number): string {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}

function escaped(help: string): string {
  return help.replaceAll('\\', String.raw`\\`).replaceAll('\n', String.raw`\n`);
}

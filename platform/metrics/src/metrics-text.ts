/** Prometheus' text format 0.0.4. */
import type { MetricFamily } from './family.ts';

export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Families in their order, those without samples left out. */
export function metricsText(families: Iterable<MetricFamily>): string {
  let text = '';
  for (const family of families) {
    const { name, help, type } = family;
    let lines = '';
    for (const [sample, value] of family.samples()) lines += `${sample} ${numberOf(value)}\n`;
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

/** The metrics that docs/reference/metrics.md lists, and those on a page of a running server. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface ShownFamily {
  readonly name: string;
  readonly type: string;
  /** Without the bounds of a histogram. */
  readonly labels: readonly string[];
}

type Families = ReadonlyMap<string, ShownFamily>;

const PAGE = join(import.meta.dirname, '../../docs/reference/metrics.md');

/** Returns the metrics by the page in the heading. The last one is `/metrics`. */
export function documentedMetrics(): ReadonlyMap<string, Families> {
  const [, ...sections] = readFileSync(PAGE, 'utf8').split(/^## /m);
  return new Map(
    sections.map((section) => {
      const path = /`(\S+)`/.exec(section)?.[1] ?? '';
      const rows = [...section.matchAll(/^\| `(\w+)` \| (\w+) \| (.*?) \|/gm)];
      const families = rows.map(([, name = '', type = '', labels = '']) => ({
        name,
        type,
        labels: [...labels.matchAll(/\w+/g)].map(String),
      }));
      return [path, new Map(families.map((family) => [family.name, family]))] as const;
    }),
  );
}

export function shownMetrics(text: string): readonly ShownFamily[] {
  const [, ...families] = text.split(/^# HELP .*\n# TYPE /m);
  return families.map((family) => {
    const [heading = '', ...lines] = family.trimEnd().split('\n');
    const [name = '', type = ''] = heading.split(' ');
    const labels = new Set(
      lines.flatMap((line) => [...line.matchAll(/(\w+)="/g)].map(([, label]) => `${label}`)),
    );
    labels.delete('le');
    return { name, type, labels: [...labels] };
  });
}

/**
 * Returns the metrics that the reference lacks, or has with another type or without a label that is shown.
 */
export function undocumented(shown: readonly ShownFamily[], documented: Families): readonly ShownFamily[] {
  return shown.filter(({ name, type, labels }) => {
    const family = documented.get(name);
    return family?.type !== type || !labels.every((label) => family.labels.includes(label));
  });
}

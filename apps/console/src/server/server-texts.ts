/** Reads the texts of `/readyz?verbose` and of `/metrics`. Pure. */

export interface Check {
  readonly name: string;
  /** Empty if it passes. */
  readonly failure: string;
}

export function checksIn(text: string): readonly Check[] {
  const lines = text.matchAll(/^\[([+-])\](\S+) (?:ok|failed: (.*))$/gm);
  const checks = [...lines].map(([, , name = '', failure = '']) => ({ name, failure }));
  return [...new Map(checks.map((check) => [check.name, check])).values()];
}

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Without the buckets of histograms. */
export function samplesIn(text: string): readonly Sample[] {
  const lines = text.matchAll(/^([A-Za-z_:][\w:]*)(?:\{(.*)\})? (\S+)$/gm);
  return [...lines]
    .filter(([, name = '']) => !name.endsWith('_bucket'))
    .map(([, name = '', labels = '', value = '']) => ({
      name,
      labels: labelsIn(labels),
      value: Number(value),
    }));
}

function labelsIn(text: string): Readonly<Record<string, string>> {
  const pairs = text.matchAll(/([A-Za-z_]\w*)="((?:[^"\\]|\\.)*)"/g);
  return Object.fromEntries(
    [...pairs].map(([, name = '', value = '']) => [name, value.replaceAll(/\\(.)/g, '$1')]),
  );
}

/** The sum of all samples of a metric. */
export function totalOf(samples: readonly Sample[], name: string): number {
  return samples.reduce((sum, one) => (one.name === name ? sum + one.value : sum), 0);
}

/** Sums by the value of a label, largest first, without zeros. */
export function countsBy(
  samples: readonly Sample[],
  name: string,
  label: string,
): readonly (readonly [value: string, count: number])[] {
  const sums = new Map<string, number>();
  for (const one of samples.filter((sample) => sample.name === name)) {
    const value = one.labels[label] ?? '';
    sums.set(value, (sums.get(value) ?? 0) + one.value);
  }
  return [...sums].filter(([, count]) => count > 0).toSorted((one, other) => other[1] - one[1]);
}

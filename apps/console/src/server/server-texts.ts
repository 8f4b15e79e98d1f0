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

/** Samples without labels, by name. */
export function metricsIn(text: string): ReadonlyMap<string, number> {
  const lines = text.matchAll(/^([a-z_0-9]+) (\S+)$/gm);
  return new Map([...lines].map(([, name = '', value = '']) => [name, Number(value)]));
}

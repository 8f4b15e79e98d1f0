/** Counts by metric name with labels, as `/metrics` shows them. Labels come from closed sets. */
export class Counts {
  readonly values: Record<string, number> = {};

  add(name: string, amount = 1): void {
    this.values[name] = (this.values[name] ?? 0) + amount;
  }
}

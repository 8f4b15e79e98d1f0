/** Counts by name and labels, in the form `/metrics` shows: `dhcp_ignored_total{reason="no-hardware"}`. */
export interface Counters {
  add(name: string, labels?: Readonly<Record<string, string>>, amount?: number): void;
  values(): Readonly<Record<string, number>>;
}

/** Labels must come from closed sets (reasons, kinds), never from packets: each combination is kept for ever. */
export function createCounters(): Counters {
  const counts = new Map<string, number>();
  return {
    add(name, labels = {}, amount = 1) {
      const pairs = Object.entries(labels).map(([label, value]) => `${label}=${JSON.stringify(value)}`);
      const key = pairs.length === 0 ? name : `${name}{${pairs.join(',')}}`;
      counts.set(key, (counts.get(key) ?? 0) + amount);
    },
    values: () => Object.fromEntries(counts),
  };
}

const UNITS = [
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const;

/** Formats the two largest units of a duration, like upstream's agent: `3s120ms`, `1h2m`. */
export function formatExecutionDuration(milliseconds: number): string {
  let rest = Math.max(0, Math.round(milliseconds));
  const parts: string[] = [];
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count}${unit}`);
    if (parts.length === 2) break;
  }
  return parts.join('') || '0s';
}

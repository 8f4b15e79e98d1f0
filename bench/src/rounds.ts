/** A shared machine is noisy, so contenders take turns, and the median of their rounds counts. */

/**
 * Returns the middle value, or the mean of the two middle ones when their number is even. Returns NaN without
 * values.
 */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/**
 * Returns the value below which the share `part` (0 to 1) of the values lies, interpolated. Returns NaN
 * without values.
 */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * part;
  const below = sorted[Math.floor(at)] ?? Number.NaN;
  const above = sorted[Math.ceil(at)] ?? Number.NaN;
  return below + (above - below) * (at - Math.floor(at));
}

/**
 * Runs every contender `rounds` times, one after another. Each round begins with the next contender, so that
 * a slow minute of the machine affects all. Returns the results by contender, in order of the rounds.
 */
export async function alternate<Name extends string, Result>(
  rounds: number,
  contenders: Readonly<Record<Name, (round: number) => Promise<Result>>>,
): Promise<Record<Name, Result[]>> {
  const names = Object.keys(contenders) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, [] as Result[]])) as Record<Name, Result[]>;
  for (let round = 0; round < rounds; round += 1) {
    const first = round % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      results[name].push(await contenders[name](round));
    }
  }
  return results;
}

/** Finds the capacity of a server: the rate is raised until it fails, then narrowed down. */

export interface CapacitySearch {
  readonly firstRate: number;
  /** Below this rate the server counts as not working. */
  readonly lowestRate: number;
  readonly growth: number;
  /** How often the gap between served and failed is halved. */
  readonly halvings: number;
}

/**
 * Returns the result of the highest rate that was served, or undefined when none was. `attempt` returns
 * undefined for a rate that was not served. It is called twice before that counts, because a shared machine
 * has bad seconds.
 */
export async function highestServed<Result>(
  search: CapacitySearch,
  attempt: (rate: number) => Promise<Result | undefined>,
): Promise<Result | undefined> {
  const twice = async (rate: number) => (await attempt(rate)) ?? (await attempt(rate));
  let best: { readonly rate: number; readonly result: Result } | undefined;
  let failed: number | undefined;
  let rate = search.firstRate;
  while (failed === undefined || (best === undefined && rate >= search.lowestRate)) {
    const result = await twice(rate);
    if (result === undefined) failed = rate;
    else best = { rate, result };
    rate = result === undefined ? rate / search.growth : rate * search.growth;
  }
  for (let step = 0; best !== undefined && step < search.halvings; step += 1) {
    const middle: number = (best.rate + failed) / 2;
    const result = await twice(middle);
    if (result === undefined) failed = middle;
    else best = { rate: middle, result };
  }
  return best?.result;
}

/** HTTP load on several servers at once, from a process for each of them. */
import type { BenchContext } from './benchmark.ts';
import type { LoadPlan, LoadResult } from './http-load-client.ts';
import { httpLoads } from './http-load.ts';

export interface SpreadPlan extends Pick<LoadPlan, 'connections' | 'seconds'> {
  /** The same number of requests for each state of the machines, one for each machine and in their order. */
  readonly requests: readonly string[];
  readonly machines: number;
}

export interface SpreadResult {
  /** The sum of the rates of all servers. */
  readonly perSecond: number;
  /** The processor time of the load for one request. */
  readonly loadMicroseconds: number;
  /** The busy part of all processors of the machine, in percent. */
  readonly busyPercent: number;
}

/**
 * Spreads the connections and the machines evenly over the servers. @throws Error when a request was refused or not answered, or
 * a connection was closed.
 */
export async function spreadLoad(
  context: BenchContext,
  urls: readonly string[],
  plan: SpreadPlan,
): Promise<SpreadResult> {
  const results = await httpLoads(
    context,
    urls.map((url, index) => {
      const { hostname: host, port } = new URL(url);
      return { host, port: Number(port), ...shareOf(plan, { index, count: urls.length }) };
    }),
  );
  for (const [index, { failures, requests }] of results.entries())
    if (failures > 0)
      throw new Error(
        `${failures} of ${requests} requests to server ${index + 1} of ${urls.length} were refused or not answered`,
      );
  const sum = (valueOf: (result: LoadResult) => number): number =>
    results.reduce((total, result) => total + valueOf(result), 0);
  return {
    perSecond: sum(({ requests, seconds }) => requests / seconds),
    loadMicroseconds:
      (sum(({ processorSeconds }) => processorSeconds) * 1e6) / sum(({ requests }) => requests),
    busyPercent: (100 * sum(({ busyPart }) => busyPart)) / results.length,
  };
}

/** Returns the load of one of several servers. No other one is asked about its machines, so no two writes meet in one object. */
export function shareOf(
  { requests, machines, connections, seconds }: SpreadPlan,
  { index, count }: { readonly index: number; readonly count: number },
): Pick<LoadPlan, 'requests' | 'connections' | 'seconds'> {
  return {
    requests: requests.filter((_, at) => (at % machines) % count === index),
    connections: Math.ceil((connections - index) / count),
    seconds,
  };
}

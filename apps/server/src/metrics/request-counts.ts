/**
 * Answered requests by route, method and status, and how long they took. Named when they are read: a name for each request costs
 * more than its count.
 */
import { Histogram } from '@tinkerbell/platform-contract';
import type { Sample } from '@tinkerbell/platform-telemetry';

export interface RequestCounts {
  began(route: string): void;
  /** It was left to another route. */
  declined(route: string): void;
  /** `seconds` since it began. */
  answered(route: string, request: { readonly method: string }, status: number, seconds: number): void;
  /** What `/http/metrics` shows. */
  samples(): readonly Sample[];
  /** What upstream tells of the routes that boot machines. */
  jobSamples(routes: readonly string[]): readonly Sample[];
}

interface RouteCounts {
  inProgress: number;
  readonly all: Histogram;
  readonly byMethod: Map<string, Map<number, Histogram>>;
}

/** Routes are named in the code, methods are those that Node's parser knows, and statuses ours: all are few. */
export function createRequestCounts(): RequestCounts {
  const routes = new Map<string, RouteCounts>();
  const countsOf = (route: string): RouteCounts => {
    let counts = routes.get(route);
    if (counts === undefined)
      routes.set(route, (counts = { inProgress: 0, all: new Histogram(), byMethod: new Map() }));
    return counts;
  };
  return {
    began(route) {
      countsOf(route).inProgress += 1;
    },
    declined(route) {
      countsOf(route).inProgress -= 1;
    },
    answered(route, { method }, status, seconds) {
      const counts = countsOf(route);
      counts.inProgress -= 1;
      counts.all.observe(seconds);
      histogramOf(counts, method, status).observe(seconds);
    },
    samples: () => [...totals(routes), ...[...routes].flatMap(([route, counts]) => samplesOf(route, counts))],
    jobSamples(names) {
      const jobs = names.flatMap((name) => routes.get(name) ?? []);
      return jobSamplesOf(jobs);
    },
  };
}

function histogramOf({ byMethod }: RouteCounts, method: string, status: number): Histogram {
  let byStatus = byMethod.get(method);
  if (byStatus === undefined) byMethod.set(method, (byStatus = new Map()));
  let histogram = byStatus.get(status);
  if (histogram === undefined) byStatus.set(status, (histogram = new Histogram()));
  return histogram;
}

function totals(routes: ReadonlyMap<string, RouteCounts>): readonly Sample[] {
  const counts = new Map<string, number>();
  for (const { byMethod } of routes.values())
    for (const [method, byStatus] of byMethod)
      for (const [status, { count }] of byStatus) {
        const name = `http_server_requests_total{method="${method}",status_code="${status}"}`;
        counts.set(name, (counts.get(name) ?? 0) + count);
      }
  return [...counts];
}

function samplesOf(route: string, { inProgress, byMethod }: RouteCounts): readonly Sample[] {
  const histograms = [...byMethod].flatMap(([method, byStatus]) =>
    [...byStatus].flatMap(([status, histogram]) =>
      Object.entries(
        histogram.samples(
          'http_server_request_duration_seconds',
          `route="${route}",method="${method}",status_code="${status}"`,
        ),
      ),
    ),
  );
  return [[`http_server_requests_in_progress{route="${route}"}`, inProgress], ...histograms];
}

function jobSamplesOf(jobs: readonly Pick<RouteCounts, 'inProgress' | 'all'>[]): readonly Sample[] {
  const labels = 'from="http",op="file"';
  const sums = new Map<string, number>();
  const add = (name: string, value: number): void => void sums.set(name, (sums.get(name) ?? 0) + value);
  // Zeros before the first request too, as upstream has them: a rate needs a value to begin with.
  for (const { inProgress, all } of [{ inProgress: 0, all: new Histogram() }, ...jobs]) {
    add(`jobs_total{${labels}}`, all.count);
    add(`jobs_in_progress{${labels}}`, inProgress);
    for (const [name, value] of Object.entries(all.samples('jobs_duration_seconds', labels)))
      add(name, value);
  }
  return [...sums];
}

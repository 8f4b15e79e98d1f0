import { constants, PerformanceObserver } from 'node:perf_hooks';
import type { MetricSet } from '@tinkerbell/platform-metrics';

const SECONDS = [0.001, 0.01, 0.1, 1, 2, 5];

const KINDS: ReadonlyMap<unknown, string> = new Map([
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
]);

/** Observes the collections of garbage from now on. */
export function declareCollections(set: MetricSet): void {
  const durations = set.histogram(
    'nodejs_gc_duration_seconds',
    'Garbage collection duration by kind, one of major, minor, incremental or weakcb.',
    { labels: ['kind'], bounds: SECONDS },
  );
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) durations.observe({ kind: kindOf(entry) }, entry.duration / 1000);
  });
  observer.observe({ entryTypes: ['gc'] });
}

function kindOf(entry: object): string {
  const detail: unknown = 'detail' in entry ? entry.detail : undefined;
  const isKnown = typeof detail === 'object' && detail !== null && 'kind' in detail;
  return (isKnown ? KINDS.get(detail.kind) : undefined) ?? 'other';
}

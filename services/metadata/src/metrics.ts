import type { MetricSet } from '@tinkerbell/platform-metrics';

export type MetadataMetrics = ReturnType<typeof createMetadataMetrics>;

export function createMetadataMetrics(set: MetricSet) {
  return {
    requests: set.counter('metadata_requests_total', 'requests for instance metadata', ['kind', 'outcome']),
  };
}

import type { MetricSet } from '@tinkerbell/platform-metrics';

/** What the receiver of events counts. */
export function createBmcEventMetrics(set: MetricSet) {
  return {
    events: set.counter('bmc_events_total', 'events and requests of BMCs by what was done with them', [
      'outcome',
    ]),
  };
}

import type { MetricSet } from '@tinkerbell/platform-metrics';

export type ApiMetrics = ReturnType<typeof createApiMetrics>;

/** What the API counts. Zeros are shown before the first one. */
export function createApiMetrics(set: MetricSet) {
  return {
    openStreams: set.gauge('api_open_streams', 'open watches, timelines and logs of the API'),
    waitingBytes: set.gauge(
      'api_watch_waiting_bytes',
      'bytes of events that clients of watches have not read yet',
    ),
    watchesTooSlow: set
      .counter('api_watches_too_slow_total', 'watches ended because their clients did not read the events')
      .with(),
    refusalsUnrecorded: set
      .counter('api_audit_refusals_unrecorded', 'refused writes beyond what the audit records in one second')
      .with(),
  };
}

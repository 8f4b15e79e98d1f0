import type { MetricSet } from '@tinkerbell/platform-metrics';

export type GatewayMetrics = ReturnType<typeof createGatewayMetrics>;

/** Buckets from a cached response up to one that waits for an upstream's timeout. */
const REQUEST_SECONDS = [0.005, 0.025, 0.1, 0.5, 2.5, 10, 60];

/** The gateway's metrics. `route` is empty for a request without a matching route. */
export function createGatewayMetrics(set: MetricSet) {
  return { ...requestMetrics(set), ...forwardMetrics(set), ...upstreamMetrics(set) };
}

function requestMetrics(set: MetricSet) {
  return {
    requests: set.counter('gateway_requests_total', 'requests answered by the gateway', ['route', 'code']),
    refused: set.counter('gateway_refused_total', 'requests refused by the gateway', ['route', 'reason']),
    faults: set.counter('gateway_faults_total', 'connection faults, such as failed TLS handshakes', [
      'reason',
    ]),
    seconds: set.histogram('gateway_request_seconds', 'time until the response begins', {
      labels: ['route'],
      bounds: REQUEST_SECONDS,
    }),
    heldBytes: set.gauge(
      'gateway_held_bytes',
      'bytes of responses that clients of the gateway have not read yet',
    ),
  };
}

function forwardMetrics(set: MetricSet) {
  return {
    forwarded: set.counter('gateway_forwarded_total', 'TCP connections and UDP datagrams forwarded', [
      'forward',
    ]),
    forwardFailed: set.counter(
      'gateway_forward_failed_total',
      'TCP connections and UDP datagrams that could not be forwarded',
      ['forward'],
    ),
    reloads: set.counter('gateway_reloads_total', 'reloads of a changed route file', ['result']),
  };
}

function upstreamMetrics(set: MetricSet) {
  return {
    upstreamFailures: set.counter(
      'gateway_upstream_failures_total',
      'requests that an endpoint did not answer',
      ['endpoint'],
    ),
    upstreamHealthy: set.gauge('gateway_upstream_healthy', '1 while the health checks of the endpoint pass', [
      'endpoint',
    ]),
  };
}

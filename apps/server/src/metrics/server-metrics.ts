/** What the server itself counts; each service declares its own. Names and labels are upstream's where upstream has the metric. */
import type { MetricSet } from '@tinkerbell/platform-metrics';

/** From a commit in memory, a tenth of a millisecond, to one that waits for a disk that is busy. */
const COMMIT_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2.5];

/** On `/http/metrics`. */
export function createHttpMetrics(set: MetricSet) {
  return {
    requests: set.counter('http_server_requests_total', 'HTTP requests answered', ['method', 'status_code']),
    inProgress: set.gauge('http_server_requests_in_progress', 'HTTP requests whose response has not begun', [
      'route',
    ]),
    seconds: set.histogram(
      'http_server_request_duration_seconds',
      'time until the response begins, without the time to send it',
      { labels: ['route', 'method', 'status_code'] },
    ),
  };
}

/** On the page of the boot service: upstream's jobs are the HTTP requests that boot machines. */
export function createJobMetrics(set: MetricSet) {
  return {
    requests: set.counter('jobs_total', 'HTTP requests for boot files and scripts', ['from', 'op']),
    inProgress: set.gauge('jobs_in_progress', 'HTTP requests for boot files and scripts in progress', [
      'from',
      'op',
    ]),
    seconds: set.histogram('jobs_duration_seconds', 'time until the response to one of them begins', {
      labels: ['from', 'op'],
    }),
  };
}

export function createLeadershipMetrics(set: MetricSet) {
  return {
    leading: set.gauge('tinkerbell_leading', '1 on the server that does this work, 0 on the others', [
      'name',
    ]),
  };
}

export function createStoreMetrics(set: MetricSet) {
  return {
    commitSeconds: set.histogram(
      'tinkerbell_store_commit_seconds',
      'time until a write is durable or refused',
      { labels: ['outcome'], bounds: COMMIT_SECONDS },
    ),
  };
}

import type { MetricSet } from '@tinkerbell/platform-metrics';

/** Creates the store's metrics about its cluster. */
export function createClusterMetrics(set: MetricSet) {
  return {
    retries: set.counter(
      'tinkerbell_cluster_retries_total',
      'requests to the Kubernetes API that were repeated',
      ['reason'],
    ),
    watchRestarts: set.counter(
      'tinkerbell_cluster_watch_restarts_total',
      'watches of the Kubernetes API that were opened again',
    ),
    relists: set.counter(
      'tinkerbell_cluster_relists_total',
      'watches of the Kubernetes API that had to list again',
    ),
    inTouch: set.gauge(
      'tinkerbell_cluster_in_touch',
      '1 while the Kubernetes API answers and its watches are open',
    ),
  };
}

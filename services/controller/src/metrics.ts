import type { MetricSet } from '@tinkerbell/platform-metrics';

export type ControllerMetrics = ReturnType<typeof createControllerMetrics>;
export type EventsMetrics = ReturnType<typeof createEventsMetrics>;

/** What the controller counts. */
export function createControllerMetrics(set: MetricSet) {
  return {
    reconciled: set.counter('controller_reconcile_total', 'reconciliations completed'),
    reconcileErrors: set.counter(
      'controller_reconcile_errors_total',
      'reconciliations that failed and are repeated',
    ),
    waiting: set.gauge('controller_waiting', 'workflows waiting for reconciliation'),
    workflows: set.gauge('workflows', 'workflows in a state; NEW is not rendered yet', ['state']),
    transitions: set.counter('workflow_transitions_total', 'workflows that entered a state', ['to']),
  };
}

/** What the writer of Kubernetes Events counts. */
export function createEventsMetrics(set: MetricSet) {
  return {
    written: set.counter('kubernetes_events_written_total', 'Events created or updated'),
    dropped: set.counter(
      'kubernetes_events_dropped_total',
      'Events dropped because of the limit, a full queue or an error of the store',
      ['reason'],
    ),
  };
}
